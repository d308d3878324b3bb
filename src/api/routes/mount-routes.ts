/** Puts the table of routes on a router: authentication, then the handler, then the check of its answer. */
import Router from 'koa-router';
import { z } from 'zod';
import type { ApiContext, ApiState } from '../api-context.js';
import type { Authenticated, Authenticator } from '../middleware/authenticate.js';
import type { Answer, Route } from './route.js';

/** An answer of ours that is not what its route declares. */
export class UndeclaredAnswer extends Error {
  override readonly name = 'UndeclaredAnswer';
}

/** Who an open route speaks to. */
const ANYONE: Authenticated = {
  caller: { principal: '', role: 'viewer' },
  stillValid: () => Promise.resolve(true),
};

export function mountRoutes(
  routes: readonly Route[],
  authenticator: Authenticator,
  checkAnswers: boolean,
): Router<ApiState> {
  const router = new Router<ApiState>({ sensitive: true });
  for (const route of routes) {
    router[route.method](route.path, async (ctx) => {
      const who = route.role === null ? ANYONE : await authenticator.require(ctx, route.role);
      const answer = await route.serve(ctx, who);
      if (answer === 'streaming') return;
      if (checkAnswers) checkAnswer(route, answer);
      send(ctx, answer);
    });
  }
  return router;
}

function send(ctx: ApiContext, answer: Exclude<Answer, 'streaming'>): void {
  ctx.set({ ...answer.headers });
  ctx.status = answer.status;
  if (answer.body === undefined) return;
  if (typeof answer.body === 'string') {
    ctx.type = 'text/plain; charset=utf-8';
    ctx.body = answer.body;
  } else {
    ctx.type = 'application/json; charset=utf-8';
    ctx.body = JSON.stringify(answer.body);
  }
}

/** @throws {UndeclaredAnswer} */
function checkAnswer(route: Route, { status, body }: Exclude<Answer, 'streaming'>): void {
  const declared = route.answers[status];
  if (declared === undefined)
    throw new UndeclaredAnswer(`${route.operationId} does not declare status ${status}`);
  const schemas = declared.content.filter((schema) => schema instanceof z.ZodType);
  const fits =
    schemas.length === 0
      ? body === undefined || typeof body === 'string'
      : schemas.some((schema) => schema.safeParse(body).success);
  if (!fits) throw new UndeclaredAnswer(`${route.operationId} answers ${status} with another shape`);
}
