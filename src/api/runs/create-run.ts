/**
 * Takes a Run in: access, room in the queue, one transaction, then the flow. Redis is asked for room before the row is
 * written, so a Redis that is away refuses the request with nothing half done. Once the row is committed the Run exists
 * and will end: a flow or frame that could not be added then is the sweeper's to add, and the caller is told the truth,
 * that the Run is queued.
 */
import type { ChatRequest, OnDisconnect } from '../../shared/domain/contracts/chat.js';
import { normaliseWindow, type Window } from '../../shared/domain/contracts/window.js';
import { openingEvents } from '../../shared/domain/run/opening-events.js';
import type { Caller } from '../../shared/ports/access.js';
import type { NewRun } from '../../shared/ports/run-intake.js';
import type { ApiDeps } from '../deps.js';
import { invalidRequest, notFound, queueFull } from '../http/api-problem.js';
import { requireContinuable } from './session-access.js';

export type CreateDeps = Pick<
  ApiDeps,
  'intake' | 'runs' | 'publisher' | 'queue' | 'clock' | 'ids' | 'log' | 'settings'
>;

export type CreateRun = (caller: Caller, request: ChatRequest, onDisconnect: OnDisconnect) => Promise<NewRun>;

const FIRST_ATTEMPT = 1;
const MS_PER_MINUTE = 60_000;

export function createRunCreation(deps: CreateDeps): CreateRun {
  /** Requests of this process between the question for room and their job: they count as waiting. */
  let underWay = 0;
  return async (caller, request, onDisconnect) => {
    const session = await sessionOf(deps, caller, request);
    underWay += 1;
    try {
      const waiting = await deps.queue.waitingRuns();
      if (waiting + underWay > deps.settings.maxQueuedRuns) throw queueFull(deps.settings.maxQueuedRuns);
      const createdAt = deps.clock.now();
      const run: NewRun = {
        runId: deps.ids.runId(),
        ...session,
        principal: caller.principal,
        query: request.query,
        window: windowOf(deps, request, createdAt),
        onDisconnect,
        createdAt,
      };
      // Somebody else's private session of that name came into being meanwhile.
      if ((await deps.intake.create(run)) === 'conflict') throw notFound('There is no such session.');
      await announce(deps, run, waiting);
      return run;
    } finally {
      underWay -= 1;
    }
  };
}

/** @throws {ApiProblem} 404 or 403 for a session that is not the caller's to continue. */
async function sessionOf(
  deps: CreateDeps,
  caller: Caller,
  request: ChatRequest,
): Promise<Pick<NewRun, 'sessionId' | 'visibility'>> {
  const { sessionId, visibility } = request;
  const wanted = visibility ?? deps.settings.sessionVisibility;
  if (sessionId === undefined) return { sessionId: deps.ids.sessionId(), visibility: wanted };
  const session = await deps.runs.session(sessionId);
  if (session === null) return { sessionId, visibility: wanted };
  requireContinuable(caller, session);
  if (visibility !== undefined && visibility !== session.visibility)
    throw invalidRequest([{ path: 'visibility', message: `the session is ${session.visibility} already` }]);
  return { sessionId, visibility: session.visibility };
}

function windowOf(deps: CreateDeps, request: ChatRequest, now: Date): Window {
  if (request.window !== undefined) return normaliseWindow(request.window);
  const from = new Date(now.getTime() - deps.settings.defaultWindowMinutes * MS_PER_MINUTE);
  return { from: from.toISOString(), to: now.toISOString() };
}

/** After the commit: the flow, and the first two frames. Never rejects. */
async function announce(deps: CreateDeps, run: NewRun, waiting: number): Promise<void> {
  const { runId, sessionId } = run;
  const outcomes = await Promise.allSettled([
    deps.queue.enqueueRun(runId, FIRST_ATTEMPT),
    deps.publisher.publish(runId, openingEvents(sessionId, waiting), 0, run.createdAt.toISOString()),
  ]);
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue;
    deps.log.warn({ runId, err: outcome.reason as unknown }, 'a new Run waits for the sweeper');
  }
}
