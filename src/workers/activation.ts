/**
 * One activation of a job: its signal aborts when the job is lost (`LOST`), the process stops (`SHUTDOWN`) or the Run's
 * cancellation is recorded (`CANCELLED`). A controller per activation, disposed at its end, so that nothing piles up on
 * long-lived signals.
 */
import type { CancelSignal } from '../shared/ports/event-log.js';
import type { Logger } from '../shared/ports/logger.js';
import type { RunStore } from '../shared/ports/run-store.js';

const POLL_MS = 5000;

export type AbortReason = 'LOST' | 'SHUTDOWN' | 'CANCELLED';

export interface Activation {
  readonly signal: AbortSignal;
  /** Null while it may go on. */
  stopped(): AbortReason | null;
}

export interface ActivationDeps {
  store: Pick<RunStore, 'load'>;
  cancel: CancelSignal;
  log: Logger;
}

export async function withActivation<T>(
  deps: ActivationDeps,
  runId: string,
  job: AbortSignal,
  work: (activation: Activation) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const onJob = (): void => {
    controller.abort(job.reason);
  };
  /** The hint is cheap and may be wrong: the row decides. */
  const onHint = (): void => {
    void confirm(deps, runId, controller);
  };
  job.addEventListener('abort', onJob);
  if (job.aborted) onJob();
  const unwatch = deps.cancel.watch(runId, onHint);
  // A hint can be lost; nobody waits for a long model call because of that.
  const poll = setInterval(onHint, POLL_MS);
  try {
    return await work({ signal: controller.signal, stopped: () => reasonOf(controller.signal) });
  } finally {
    unwatch();
    clearInterval(poll);
    job.removeEventListener('abort', onJob);
  }
}

async function confirm(deps: ActivationDeps, runId: string, controller: AbortController): Promise<void> {
  try {
    const run = await deps.store.load(runId);
    if (run === null || run.cancelRequestedAt !== null || run.releaseOutcome !== null)
      controller.abort('CANCELLED');
  } catch (error) {
    deps.log.warn({ runId, err: error }, 'a cancel hint could not be checked; the next boundary will');
  }
}

function reasonOf(signal: AbortSignal): AbortReason | null {
  if (!signal.aborted) return null;
  const reason: unknown = signal.reason;
  return reason === 'SHUTDOWN' || reason === 'CANCELLED' ? reason : 'LOST';
}
