/** Frames that the log no longer has, made again from the Run's row (contract §3). Pure. */
import type { EventData, EventName, Frame } from '../../shared/domain/contracts/events.js';
import type { RunView } from '../../shared/domain/contracts/run.js';

export type MetadataSource = Pick<RunView, 'runId' | 'sessionId' | 'createdAt'>;

function frame<N extends EventName>(
  runId: string,
  seq: number,
  at: string,
  event: N,
  data: EventData<N>,
): Frame {
  return { seq, event, data: JSON.stringify({ runId, seq, at, ...data }) };
}

/** `metadata` is always frame 1. */
export function metadataFrame(run: MetadataSource): Frame {
  return frame(run.runId, 1, run.createdAt, 'metadata', { sessionId: run.sessionId });
}

/** Stands for the frames `from` to `to`, both inclusive; its own number is that of the first of them. */
export function gapFrame(runId: string, from: number, to: number, at: string): Frame {
  return frame(runId, from, at, 'gap', { from, to });
}

/** What of the frames before `next` the client lacks when it has seen `last`: nothing, or `metadata` and a `gap`. */
export function framesBetween(run: MetadataSource, last: number, next: number, at: string): Frame[] {
  const frames: Frame[] = [];
  let from = last + 1;
  if (from === 1 && next > 1) {
    frames.push(metadataFrame(run));
    from = 2;
  }
  if (from < next) frames.push(gapFrame(run.runId, from, next - 1, at));
  return frames;
}

/** How many frames {@link lastFrames} makes. */
export function lastFrameCount(run: RunView): number {
  return resultFrame(run, 1, '') === null ? 1 : 2;
}

/** `report` or `error` (N−1) and `done` (N) of a finished Run; a cancelled one has `done` alone. */
export function lastFrames(run: RunView, count: number): Frame[] {
  const at = run.finishedAt ?? run.createdAt;
  const result = resultFrame(run, count - 1, at);
  const done = frame(run.runId, count, at, 'done', {
    status: run.status,
    releaseOutcome: run.releaseOutcome,
  });
  return result === null ? [done] : [result, done];
}

function resultFrame(run: RunView, seq: number, at: string): Frame | null {
  const { report, knowledge, fallback, error, releaseOutcome } = run;
  switch (releaseOutcome) {
    case 'SUCCESS':
    case 'FALLBACK':
      return frame(run.runId, seq, at, 'report', {
        releaseOutcome,
        ...(report === undefined ? {} : { report }),
        ...(knowledge === undefined ? {} : { knowledge }),
        ...(fallback === undefined ? {} : { fallback }),
      });
    case 'FAILED':
      return error === undefined ? null : frame(run.runId, seq, at, 'error', error);
    case 'CANCELLED':
    case null:
      return null;
  }
}
