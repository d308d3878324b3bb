/**
 * The one finalizer (CA-2, RP-1 … RP-9): nothing else writes `release_outcome`. Its guarded UPDATE decides; frames
 * follow the commit, and whoever loses publishes nothing.
 */
import { runErrorMessage } from '../../shared/domain/release/run-errors.js';
import type { CoverageItem } from '../../shared/domain/contracts/coverage.js';
import type { PublishedResult } from '../../shared/domain/contracts/report.js';
import type { PublicResult, RunErrorCode } from '../../shared/domain/contracts/run.js';
import { openingEvents } from '../../shared/domain/run/opening-events.js';
import { FINAL_STATUS } from '../../shared/domain/run/transitions.js';
import type { Clock } from '../../shared/ports/clock.js';
import type { ConversationWindow } from '../../shared/ports/conversation.js';
import type { Logger } from '../../shared/ports/logger.js';
import type { EngineRun, Finalization, RunStore, WriteOutcome } from '../../shared/ports/run-store.js';
import { endFrames, intentFrame, statusFrame, type Frames, type RunEnd } from '../frames.js';

export interface FinalizeDeps {
  store: RunStore;
  frames: Frames;
  conversation: ConversationWindow;
  clock: Clock;
  log: Logger;
}

/** How a Run ends, before the row has agreed. */
export type Ending =
  | { outcome: 'SUCCESS'; result: PublicResult; published: PublishedResult | null; turn: string }
  | { outcome: 'FALLBACK'; result: PublicResult; turn: string }
  | { outcome: 'FAILED'; code: RunErrorCode }
  | { outcome: 'CANCELLED' };

export async function finalizeRun(
  deps: FinalizeDeps,
  run: EngineRun,
  ending: Ending,
  coverage: CoverageItem[],
): Promise<WriteOutcome> {
  const end = toFinalization(ending, coverage, deps.clock.now());
  const outcome = await deps.store.finalize({ runId: run.runId, epoch: run.epoch }, end);
  if (outcome !== 'written') return outcome;
  deps.log.info({ runId: run.runId, outcome: end.outcome, errorCode: end.errorCode }, 'run ended');
  await remember(deps, run, ending);
  await publishEnd(deps, run, {
    status: end.status,
    releaseOutcome: end.outcome,
    result: end.publicResult,
    error: end.errorCode === null ? null : { code: end.errorCode, message: runErrorMessage(end.errorCode) },
  });
  return 'written';
}

/** Publishes the last frames of a Run that is final, and keeps N. Also the sweeper's way. */
export async function publishEnd(
  deps: Pick<FinalizeDeps, 'store' | 'frames'>,
  run: EngineRun,
  end: RunEnd,
): Promise<void> {
  const count = await deps.frames.publish(run, [
    ...openingEvents(run.sessionId),
    ...(run.startedAt === null || run.epoch === 0 ? [] : [statusFrame('RUNNING')]),
    ...(run.intent === null ? [] : [intentFrame(run.intent)]),
    ...endFrames(end),
  ]);
  await deps.store.recordFrameCount(run.runId, count);
}

/** The conversation window is context and no record: a Redis that is away costs the next turn its memory, no more. */
async function remember(deps: FinalizeDeps, run: EngineRun, ending: Ending): Promise<void> {
  if (ending.outcome !== 'SUCCESS' && ending.outcome !== 'FALLBACK') return;
  try {
    await deps.conversation.append(run.sessionId, {
      query: run.query,
      answer: ending.turn,
      at: deps.clock.now().toISOString(),
    });
  } catch (error) {
    deps.log.warn({ runId: run.runId, err: error }, 'the conversation window was not extended');
  }
}

function toFinalization(ending: Ending, coverage: CoverageItem[], finishedAt: Date): Finalization {
  return {
    status: FINAL_STATUS[ending.outcome],
    outcome: ending.outcome,
    errorCode: ending.outcome === 'FAILED' ? ending.code : null,
    publicResult: 'result' in ending ? ending.result : {},
    publishedResult: ending.outcome === 'SUCCESS' ? ending.published : null,
    coverage,
    finishedAt,
  };
}
