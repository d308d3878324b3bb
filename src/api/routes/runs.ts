/** One Run: read it, follow it, ask it to stop. */
import { z } from 'zod';
import { ReleaseOutcome, RunStatus, RunView } from '../../shared/domain/contracts/run.js';
import type { Caller } from '../../shared/ports/access.js';
import type { RunRecord } from '../../shared/ports/run-intake.js';
import type { ApiContext } from '../api-context.js';
import type { ApiDeps } from '../deps.js';
import { ApiProblem } from '../http/api-problem.js';
import { preferredWait } from '../http/prefer.js';
import { awaitRun } from '../runs/await-run.js';
import { cancelRun } from '../runs/cancel-run.js';
import { mayRead } from '../runs/session-access.js';
import { readCursor } from '../sse/cursor.js';
import type { RunStreams } from '../sse/run-streams.js';
import { notFound } from '../http/api-problem.js';
import { PREFER_WAIT, RunPath } from './parameters.js';
import { defineRoute, type Answer, type Route } from './route.js';

const CancelRequested = z.strictObject({ state: z.literal('requested') });
const RunStopped = z.strictObject({
  state: z.literal('stopped'),
  status: RunStatus,
  releaseOutcome: ReleaseOutcome,
});

export type RunDeps = Pick<ApiDeps, 'runs' | 'events' | 'intake' | 'cancel' | 'clock' | 'log'>;

export function runRoutes(deps: RunDeps, streams: RunStreams): Route[] {
  return [readRoute(deps), eventsRoute(deps, streams), cancelRoute(deps, streams)];
}

function readRoute(deps: RunDeps): Route {
  return defineRoute({
    method: 'get',
    path: '/api/runs/:runId',
    operationId: 'readRun',
    summary: 'The Run, with its result once it has ended',
    role: 'viewer',
    params: RunPath,
    answers: { 200: { description: 'The Run', content: [RunView] } },
    handle: async ({ params }, { caller }) => ({
      status: 200,
      body: (await readableRun(deps, caller, params.runId)).view,
    }),
  });
}

function eventsRoute(deps: RunDeps, streams: RunStreams): Route {
  return defineRoute({
    method: 'get',
    path: '/api/runs/:runId/events',
    operationId: 'followRun',
    summary: 'The Run’s events, from the first or from a cursor on; observing never cancels',
    role: 'viewer',
    params: RunPath,
    query: z.strictObject({ after: z.string().optional() }),
    headers: [{ name: 'Last-Event-ID', description: 'The number of the last event seen; wins over `after`' }],
    answers: {
      200: { description: 'The events', content: ['stream'] },
      204: { description: 'The Run has ended and the cursor is at its last event', content: ['none'] },
    },
    handle: async ({ ctx, params, query }, who) => {
      const cursor = readCursor(ctx.get('Last-Event-ID'), query.after);
      const record = await readableRun(deps, who.caller, params.runId);
      return streams.follow(ctx, who, record, cursor);
    },
  });
}

function cancelRoute(deps: RunDeps, streams: RunStreams): Route {
  return defineRoute({
    method: 'post',
    path: '/api/runs/:runId/cancel',
    operationId: 'cancelRun',
    summary: 'Ask the Run to stop, and wait until nothing of it is in flight',
    role: 'operator',
    params: RunPath,
    headers: [PREFER_WAIT],
    answers: {
      200: { description: 'Nothing of the Run is in flight any more', content: [RunStopped] },
      202: { description: 'The request is recorded', content: [CancelRequested] },
    },
    handle: async ({ ctx, params: { runId } }, { caller }) => {
      await readableRun(deps, caller, runId);
      const outcome = await cancelRun(deps, runId);
      if (outcome === 'unknown') throw notFound('There is no such Run.');
      if (outcome === 'finished')
        throw new ApiProblem('RUN_FINISHED', 'The Run has ended; nothing is left to stop.');
      return stoppedInTime(deps, ctx, streams, runId);
    },
  });
}

async function stoppedInTime(
  deps: RunDeps,
  ctx: ApiContext,
  streams: RunStreams,
  runId: string,
): Promise<Answer> {
  const seconds = preferredWait(ctx.get('Prefer'));
  if (seconds === null) return { status: 202, body: { state: 'requested' } };
  const stopped = await streams.whilePlaceHeld(() =>
    awaitRun(deps, {
      runId,
      waitMs: seconds * 1000,
      signals: [ctx.state.closed, streams.closing],
      wakes: () => true,
      look: async () => ((await deps.runs.isSettled(runId)) ? deps.runs.run(runId) : null),
    }),
  );
  const headers = { 'Preference-Applied': `wait=${seconds}` };
  if (stopped === null) return { status: 202, body: { state: 'requested' }, headers };
  const { status, releaseOutcome } = stopped.view;
  return { status: 200, body: { state: 'stopped', status, releaseOutcome }, headers };
}

/** @throws {ApiProblem} 404 for an unknown Run, and for one that the caller may not read. */
async function readableRun(deps: RunDeps, caller: Caller, runId: string): Promise<RunRecord> {
  const record = await deps.runs.run(runId);
  if (record === null || !mayRead(caller, record.session)) throw notFound('There is no such Run.');
  return record;
}
