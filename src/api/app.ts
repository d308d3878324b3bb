/** Builds the Koa application; it never listens and opens nothing. */
import Koa from 'koa';
import type { ApiState } from './api-context.js';
import type { ApiDeps } from './deps.js';
import { answerProblems } from './middleware/answer-problems.js';
import { createAuthenticator } from './middleware/authenticate.js';
import { guardDashboard } from './middleware/guard-dashboard.js';
import { requestFrame } from './middleware/request-frame.js';
import { unmatched } from './middleware/unmatched.js';
import { openApiRoute } from './openapi/openapi-route.js';
import { chatRoutes } from './routes/chat.js';
import { healthRoutes } from './routes/health.js';
import { mountRoutes } from './routes/mount-routes.js';
import type { Route } from './routes/route.js';
import { runRoutes } from './routes/runs.js';
import { sessionRoutes } from './routes/sessions.js';
import { createRunCreation } from './runs/create-run.js';
import { RunOwnership } from './runs/run-ownership.js';
import { OpenStreams } from './sse/open-streams.js';
import { RunStreams } from './sse/run-streams.js';

export interface Api extends Koa<ApiState> {
  /**
   * Ends every event stream and held-open wait, and takes no new ones. Resolves once all are closed, 2 s later at most,
   * and the graces of lost owners have run, 5 s later at most. Call it before closing the HTTP server.
   */
  closeStreams(): Promise<void>;
}

/** @param deps all the parts that the API is made of; see {@link ApiDeps}. */
export function createApp(deps: ApiDeps): Api {
  const { settings, log } = deps;
  const authenticator = createAuthenticator({ ...deps, adminToken: settings.adminToken });
  const streams = new RunStreams(deps, new OpenStreams(settings.maxStreams), new RunOwnership(deps));
  const router = mountRoutes(routesOf(deps, streams), authenticator, settings.checkAnswers);
  const app = new Koa<ApiState>();
  app.proxy = false;
  app.on('error', (error: unknown) => log.warn({ err: error }, 'a response failed'));
  app.use(requestFrame(log));
  app.use(answerProblems(log));
  if (deps.dashboard !== null) app.use(guardDashboard(deps.dashboard, authenticator));
  app.use(router.routes());
  app.use(unmatched());
  return Object.assign(app, { closeStreams: () => streams.close() });
}

function routesOf(deps: ApiDeps, streams: RunStreams): Route[] {
  const routes = [
    ...chatRoutes(deps, createRunCreation(deps), streams),
    ...runRoutes(deps, streams),
    ...sessionRoutes(deps),
    ...healthRoutes(deps),
  ];
  return [...routes, openApiRoute(routes)];
}
