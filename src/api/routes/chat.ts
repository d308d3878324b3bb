/** `POST /api/chat`: a question becomes a Run. */
import { ChatAccepted, ChatRequest } from '../../shared/domain/contracts/chat.js';
import { RunView } from '../../shared/domain/contracts/run.js';
import type { NewRun } from '../../shared/ports/run-intake.js';
import type { ApiContext } from '../api-context.js';
import { preferredWait } from '../http/prefer.js';
import { awaitRun } from '../runs/await-run.js';
import type { CreateRun } from '../runs/create-run.js';
import type { RunStreams } from '../sse/run-streams.js';
import type { ApiDeps } from '../deps.js';
import { PREFER_WAIT } from './parameters.js';
import { defineRoute, type Answer, type Route } from './route.js';

export type ChatDeps = Pick<ApiDeps, 'runs' | 'events' | 'log'>;

export function chatRoutes(deps: ChatDeps, createRun: CreateRun, streams: RunStreams): Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/api/chat',
      operationId: 'startRun',
      summary: 'Start a Run, and wait for it or follow it',
      role: 'operator',
      headers: [PREFER_WAIT, { name: 'Accept', description: '`text/event-stream` answers with the events' }],
      body: ChatRequest,
      answers: {
        200: { description: 'The finished Run, or its events', content: [RunView, 'stream'] },
        202: { description: 'The Run is queued', content: [ChatAccepted] },
      },
      handle: async ({ ctx, body }, who) => {
        if (ctx.accepts('json', 'text/event-stream') === 'text/event-stream') {
          const place = streams.reserve();
          const onDisconnect = body.onDisconnect ?? 'cancel';
          try {
            const run = await createRun(who.caller, body, onDisconnect);
            await streams.startOwned(ctx, who, run, place);
          } catch (error) {
            place();
            throw error;
          }
          return 'streaming';
        }
        // Nobody owns a Run that is not streamed from its start.
        const run = await createRun(who.caller, body, 'continue');
        return (await finishedInTime(deps, ctx, streams, run)) ?? accepted(run);
      },
    }),
  ];
}

async function finishedInTime(
  deps: ChatDeps,
  ctx: ApiContext,
  streams: RunStreams,
  run: NewRun,
): Promise<Answer | null> {
  const seconds = preferredWait(ctx.get('Prefer'));
  if (seconds === null) return null;
  const view = await streams.whilePlaceHeld(() =>
    awaitRun(deps, {
      runId: run.runId,
      waitMs: seconds * 1000,
      signals: [ctx.state.closed, streams.closing],
      wakes: (event) => event === 'done',
      look: async () => {
        const record = await deps.runs.run(run.runId);
        return record === null || record.view.releaseOutcome === null ? null : record.view;
      },
    }),
  );
  const headers = { 'Preference-Applied': `wait=${seconds}` };
  return view === null ? { ...accepted(run), headers } : { status: 200, body: view, headers };
}

function accepted(run: NewRun): Exclude<Answer, 'streaming'> {
  const { runId, sessionId } = run;
  const links = {
    run: `/api/runs/${runId}`,
    events: `/api/runs/${runId}/events`,
    trace: `/api/diagnosis/${sessionId}/trace?runId=${runId}`,
    cancel: `/api/runs/${runId}/cancel`,
  };
  return { status: 202, body: { sessionId, runId, status: 'QUEUED', links } };
}
