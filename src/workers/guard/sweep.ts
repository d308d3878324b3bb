/**
 * Finds what a crash left between a commit and its consequence, every `SWEEP_INTERVAL_MS`, in one guard process at a
 * time: a Run without a live flow, a cancellation or an end of time that nobody acted on, a final Run whose last frames
 * were never published.
 */
import { runErrorMessage } from '../../shared/domain/release/run-errors.js';
import type { Clock } from '../../shared/ports/clock.js';
import { StoreUnavailable } from '../../shared/ports/errors.js';
import type { RunQueue } from '../../shared/ports/job-queue.js';
import type { Lease } from '../../shared/ports/lease.js';
import type { Logger } from '../../shared/ports/logger.js';
import type { RunReader } from '../../shared/ports/run-intake.js';
import type { RunStore, RunSweep, UnfinishedRun } from '../../shared/ports/run-store.js';
import { endCancelled } from './end-cancelled.js';
import { endOverdue, type OverdueDeps } from './end-overdue.js';
import { finalizeRun, publishEnd } from './finalize.js';
import { runCoverage } from './run-coverage.js';

const BATCH = 200;
/** Flows made anew for one Run before it counts as lost. */
const MAX_ATTEMPTS = 5;

export interface SweepDeps extends OverdueDeps {
  store: RunStore;
  sweep: RunSweep;
  reader: RunReader;
  queue: RunQueue;
  lease: Lease;
  clock: Clock;
  log: Logger;
  /** Work younger than this is left to whoever does it. */
  graceMs: number;
  intervalMs: number;
  /** How long the worker of a Run may take to end it, once it was cancelled or its time is over. */
  patienceMs: number;
  runTimeoutMs: number;
  /** Sets what a store that lost its memory has forgotten, e.g. fleet-wide limits. */
  restoreLimits: () => Promise<void>;
}

export interface Sweeper {
  close(): Promise<void>;
}

/** Starts sweeping; a sweep that fails is logged and the next one tries again. */
export function startSweeper(deps: SweepDeps): Sweeper {
  const state: { closed: boolean; timer: NodeJS.Timeout | undefined; running: Promise<void> } = {
    closed: false,
    timer: undefined,
    running: Promise.resolve(),
  };
  const tick = async (): Promise<void> => {
    try {
      if (await deps.lease.hold()) await sweepOnce(deps);
    } catch (error) {
      deps.log.warn({ err: error }, 'sweep');
    }
    if (!state.closed) schedule();
  };
  const schedule = (): void => {
    state.timer = setTimeout(() => {
      state.running = tick();
    }, deps.intervalMs);
  };
  schedule();
  return {
    close: async () => {
      state.closed = true;
      clearTimeout(state.timer);
      await state.running;
      await deps.lease.release();
    },
  };
}

export async function sweepOnce(deps: SweepDeps): Promise<void> {
  await deps.restoreLimits();
  const before = new Date(deps.clock.now().getTime() - deps.graceMs);
  for (const runId of await deps.sweep.unpublished(before, BATCH))
    await alone(deps, runId, () => republish(deps, runId));
  for (let after: UnfinishedRun | null = null; ;) {
    const page: UnfinishedRun[] = await deps.sweep.unfinished(before, after, BATCH);
    for (const run of page) await alone(deps, run.runId, () => attend(deps, run));
    after = page.at(-1) ?? null;
    if (page.length < BATCH) return;
  }
}

async function attend(deps: SweepDeps, run: UnfinishedRun): Promise<void> {
  const { runId, attempt, status, startedAt, cancelRequestedAt } = run;
  const now = deps.clock.now().getTime();
  if (
    cancelRequestedAt !== null &&
    (status === 'QUEUED' || now - cancelRequestedAt.getTime() > deps.patienceMs)
  ) {
    await endCancelled(deps, runId);
    return;
  }
  if (startedAt !== null && now - startedAt.getTime() > deps.runTimeoutMs + deps.patienceMs) {
    await endOverdue(deps, runId, status);
    return;
  }
  await revive(deps, runId, attempt);
}

/** A Run whose rows cannot be read keeps no other from its turn; a store that is away ends the sweep. */
async function alone(deps: SweepDeps, runId: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    deps.log.error({ runId, err: error }, 'a run could not be swept');
  }
}

async function republish(deps: SweepDeps, runId: string): Promise<void> {
  const [run, record] = await Promise.all([deps.store.load(runId), deps.reader.run(runId)]);
  if (run === null || record === null || run.releaseOutcome === null) return;
  const { report, knowledge, fallback, error, status } = record.view;
  await publishEnd(deps, run, {
    status,
    releaseOutcome: run.releaseOutcome,
    result: {
      ...(report === undefined ? {} : { report }),
      ...(knowledge === undefined ? {} : { knowledge }),
      ...(fallback === undefined ? {} : { fallback }),
    },
    error: error === undefined ? null : { code: error.code, message: runErrorMessage(error.code) },
  });
}

/** Adds a vanished flow again under the next attempt; after too many the Run ends as lost. */
async function revive(deps: SweepDeps, runId: string, attempt: number): Promise<void> {
  if (await deps.queue.isLive(runId, attempt)) return;
  const run = await deps.store.load(runId);
  if (run === null || run.releaseOutcome !== null || run.attempt !== attempt) return;
  if (run.cancelRequestedAt !== null) {
    await endCancelled(deps, runId);
    return;
  }
  if (attempt >= MAX_ATTEMPTS) {
    await endLost(deps, runId);
    return;
  }
  deps.log.warn({ runId, attempt }, 'a run without a flow is enqueued again');
  // A Run that nobody began keeps its attempt, unless jobs of that name stand there ended: then adding does nothing.
  if (run.epoch === 0) {
    await deps.queue.enqueueRun(runId, attempt);
    if (await deps.queue.isLive(runId, attempt)) return;
  }
  const next = await deps.sweep.nextAttempt(runId, attempt);
  if (next !== null) await deps.queue.enqueueRun(runId, next);
}

async function endLost(deps: SweepDeps, runId: string): Promise<void> {
  const claim = await deps.store.claim(runId, 'review', null, deps.clock.now());
  if (!claim.ok) return;
  const { run } = claim;
  await deps.store.closeOpenInvocations({ runId, epoch: run.epoch }, 'LOST', deps.clock.now());
  await deps.store.abandonGuardSteps({ runId, epoch: run.epoch }, deps.clock.now());
  const invocations = await deps.store.invocations(runId);
  await finalizeRun(
    deps,
    run,
    { outcome: 'FAILED', code: 'STATE_LOST' },
    runCoverage(run, invocations, false),
  );
}
