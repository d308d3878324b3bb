/**
 * The frames of a Run as keyed events made from committed facts, and their publication. A key is published once, so
 * whoever takes a Run over may publish again what its predecessor perhaps did not.
 */
import type { TypedScope } from '../shared/domain/contracts/coverage.js';
import type { EventData } from '../shared/domain/contracts/events.js';
import { isToolName } from '../shared/domain/contracts/tools/catalogue.js';
import type { PublicResult, ReleaseOutcome, RunError, RunStatus } from '../shared/domain/contracts/run.js';
import type { Intent } from '../shared/domain/contracts/verdict.js';
import type { Clock } from '../shared/ports/clock.js';
import type { EventPublisher, KeyedEvent } from '../shared/ports/event-log.js';
import type { InvocationRecord, RunStore } from '../shared/ports/run-store.js';

export function statusFrame(status: RunStatus): KeyedEvent {
  return { key: `status:${status}`, event: { event: 'status', data: { status } } };
}

export function intentFrame(intent: Intent): KeyedEvent {
  return { key: 'status:intent', event: { event: 'status', data: { status: 'RUNNING', intent } } };
}

export function stepFrame(round: number, invocations: readonly InvocationRecord[]): KeyedEvent {
  const toolCalls = invocations
    .filter((record) => record.round === round)
    .map((record) => ({ call: record.call, tool: shownTool(record.tool) }));
  return { key: `step:${round}`, event: { event: 'step', data: { round, toolCalls } } };
}

export function toolFrame(record: InvocationRecord, scope: TypedScope): KeyedEvent {
  const { call, status, evidenceStatus, startedAt, finishedAt } = record;
  const durationMs =
    startedAt === null || finishedAt === null ? null : finishedAt.getTime() - startedAt.getTime();
  return {
    key: `tool:${call}:${status}`,
    event: {
      event: 'tool',
      data: {
        call,
        tool: shownTool(record.tool),
        status,
        evidenceStatus,
        scope,
        ...(record.matched === null ? {} : { matched: record.matched }),
        durationMs,
      },
    },
  };
}

export function reviewFrame(
  stage: EventData<'review'>['stage'],
  outcome: EventData<'review'>['outcome'],
  turn: number,
): KeyedEvent {
  return { key: `review:${stage}:${turn}`, event: { event: 'review', data: { stage, outcome } } };
}

export interface RunEnd {
  status: RunStatus;
  releaseOutcome: ReleaseOutcome;
  result: PublicResult;
  error: RunError | null;
}

/** `report` or `error`, then `done`; a cancelled Run has neither of the first two. */
export function endFrames(end: RunEnd): KeyedEvent[] {
  const done: KeyedEvent = {
    key: 'done',
    event: { event: 'done', data: { status: end.status, releaseOutcome: end.releaseOutcome } },
  };
  switch (end.releaseOutcome) {
    case 'SUCCESS':
    case 'FALLBACK':
      return [
        {
          key: 'report',
          event: { event: 'report', data: { releaseOutcome: end.releaseOutcome, ...end.result } },
        },
        done,
      ];
    case 'FAILED':
      return end.error === null
        ? [done]
        : [{ key: 'error', event: { event: 'error', data: end.error } }, done];
    case 'CANCELLED':
      return [done];
  }
}

function shownTool(tool: string): EventData<'tool'>['tool'] {
  return isToolName(tool) ? tool : 'unknown';
}

/** What numbering needs of a Run. */
export interface FrameBase {
  runId: string;
  rounds: number;
  frameSeq: number;
}

export interface Frames {
  /** @returns the number of the last event. */
  publish(run: FrameBase, events: readonly KeyedEvent[]): Promise<number>;
}

/**
 * When the log was lost, numbering goes on above every number that may have been given. A Run without a committed round
 * begins anew at 1, so that `metadata` stays first.
 */
export function createFrames(
  publisher: EventPublisher,
  store: Pick<RunStore, 'raiseFrameSeq'>,
  clock: Clock,
): Frames {
  return {
    publish: async (run, events) => {
      const floor = run.rounds > 0 ? run.frameSeq : 0;
      const numbers = await publisher.publish(run.runId, events, floor, clock.now().toISOString());
      const last = numbers.at(-1) ?? floor;
      if (last > run.frameSeq) await store.raiseFrameSeq(run.runId, last);
      return last;
    },
  };
}
