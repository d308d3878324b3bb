/** The Runs of a session, and the Trace of one of them (SR-2 … SR-4). */
import { z } from 'zod';
import { RunSummary } from '../../shared/domain/contracts/run.js';
import { Trace } from '../../shared/domain/contracts/trace.js';
import type { ApiDeps } from '../deps.js';
import { ApiProblem, notFound } from '../http/api-problem.js';
import { requireReadable } from '../runs/session-access.js';
import { visibleTrace } from '../runs/trace-view.js';
import { PageQuery, SessionPath } from './parameters.js';
import { defineRoute, type Route } from './route.js';

/** `nextBefore`: the `before` of the next page, null on the last one. */
const RunPage = z.strictObject({ runs: z.array(RunSummary), nextBefore: z.string().nullable() });

export type SessionDeps = Pick<ApiDeps, 'runs'>;

export function sessionRoutes(deps: SessionDeps): Route[] {
  return [runsRoute(deps), traceRoute(deps)];
}

function runsRoute(deps: SessionDeps): Route {
  return defineRoute({
    method: 'get',
    path: '/api/chat/session/:sessionId/runs',
    operationId: 'listRuns',
    summary: 'The session’s Runs, newest first',
    role: 'viewer',
    params: SessionPath,
    query: PageQuery,
    answers: { 200: { description: 'A page of Runs', content: [RunPage] } },
    handle: async ({ params, query }, { caller }) => {
      requireReadable(caller, await deps.runs.session(params.sessionId), 'session');
      // One more than asked for tells whether another page follows.
      const found = await deps.runs.runs(params.sessionId, query.limit + 1, query.before ?? null);
      const runs = found.slice(0, query.limit);
      const nextBefore = found.length > query.limit ? (runs.at(-1)?.runId ?? null) : null;
      return { status: 200, body: { runs, nextBefore } };
    },
  });
}

function traceRoute(deps: SessionDeps): Route {
  return defineRoute({
    method: 'get',
    path: '/api/diagnosis/:sessionId/trace',
    operationId: 'readTrace',
    summary: 'The Trace of the session’s latest Run, or of the one named',
    role: 'viewer',
    params: SessionPath,
    query: z.strictObject({ runId: z.string().optional() }),
    answers: { 200: { description: 'The Trace of one Run', content: [Trace] } },
    handle: async ({ params: { sessionId }, query }, { caller }) => {
      requireReadable(caller, await deps.runs.session(sessionId), 'session');
      const runId = query.runId ?? (await deps.runs.latestRunId(sessionId));
      const record = runId === null ? null : await deps.runs.run(runId);
      if (record?.view.sessionId !== sessionId) throw notThere(query.runId);
      const { view } = record;
      const { steps, invocations } = await deps.runs.details(view.runId);
      const details = { steps, toolInvocations: invocations };
      const shown = visibleTrace(details, view.releaseOutcome !== null, caller.role);
      return {
        status: 200,
        body: { run: view, ...shown, resolvedBy: query.runId === undefined ? 'latest' : 'runId' },
      };
    },
  });
}

function notThere(runId: string | undefined): ApiProblem {
  return runId === undefined
    ? notFound('The session has no Run.')
    : new ApiProblem('RUN_NOT_IN_SESSION', 'The session has no Run of that ID.');
}
