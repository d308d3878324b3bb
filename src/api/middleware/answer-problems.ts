/** The one place where an error becomes an answer (RFC 9457). No stack and no driver's message leaves here. */
import type { Logger } from '../../shared/ports/logger.js';
import type { ApiContext, ApiMiddleware } from '../api-context.js';
import { asProblem, internalProblem, type ApiProblem } from '../http/api-problem.js';
import { RequestAborted } from '../http/read-json-body.js';

export function answerProblems(log: Logger): ApiMiddleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      if (error instanceof RequestAborted) {
        ctx.respond = false;
        ctx.res.destroy();
        return;
      }
      const known = asProblem(error);
      if (known === null) log.error({ requestId: ctx.state.requestId, err: error }, 'a request failed');
      else if (known.status >= 500)
        log.warn({ requestId: ctx.state.requestId, code: known.code, err: error }, 'a request was refused');
      answer(ctx, known ?? internalProblem(ctx.state.requestId));
    }
  };
}

function answer(
  ctx: Pick<ApiContext, 'res' | 'respond' | 'set' | 'status' | 'body' | 'type'>,
  problem: ApiProblem,
): void {
  if (ctx.res.headersSent) {
    ctx.respond = false;
    ctx.res.destroy();
    return;
  }
  ctx.respond = true;
  ctx.set({ ...problem.headers });
  ctx.status = problem.status;
  ctx.body = JSON.stringify(problem.body);
  ctx.type = 'application/problem+json; charset=utf-8';
}
