/**
 * One BullMQ worker with the rules that keep a Run alive through crashes: job failure is for bugs alone, a lost lock
 * aborts the handler, a stopping process gives its jobs back, and parking is one code path. A failed job keeps the fault's
 * name and code alone: its message may repeat what a model or a tool wrote, and the dashboard shows it (SE-1).
 */
import { UnrecoverableError, WaitingChildrenError, WaitingError, Worker, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { QUEUE_PREFIX } from '../../domain/contracts/jobs.js';
import { StoreUnavailable } from '../../ports/errors.js';
import type { JobOutcome, RunningWorker } from '../../ports/job-runner.js';
import type { Logger } from '../../ports/logger.js';
import { pause } from '../../runtime/pause.js';
import { KEEP_COMPLETED, KEEP_FAILED } from './run-queue.js';

/** The stalled counter of a job never resets, so it bounds nothing useful: progress has its own limit, the budgets. */
const MAX_STALLED = 20;
const OUTAGE_RETRY_MS = 500;

export interface WorkerOptions {
  queue: string;
  concurrency: number;
  lockMs: number;
  stalledIntervalMs: number;
  /** Of kind `worker`; the library makes its blocking connection from it. */
  connection: Redis;
  log: Logger;
}

/** Does one job; see {@link JobOutcome}. */
export type Handle = (job: Job, token: string, signal: AbortSignal) => Promise<JobOutcome>;

export async function startWorker(options: WorkerOptions, handle: Handle): Promise<RunningWorker> {
  const { queue, connection, log } = options;
  const active = new ActiveJobs();
  const worker = new Worker(
    queue,
    (job, token, signal) => processJob(job, token, signal, active, handle, log),
    {
      connection,
      prefix: QUEUE_PREFIX,
      concurrency: options.concurrency,
      lockDuration: options.lockMs,
      stalledInterval: options.stalledIntervalMs,
      maxStalledCount: MAX_STALLED,
      drainDelay: 1,
      removeOnComplete: KEEP_COMPLETED,
      removeOnFail: KEEP_FAILED,
    },
  );
  worker.on('error', (error) => {
    log.warn({ queue, err: error }, 'worker');
  });
  worker.on('failed', (job, error) => {
    log.error({ queue, job: job?.id, err: error }, 'job failed');
  });
  worker.on('stalled', (job) => {
    log.warn({ queue, job }, 'job taken back from a lost worker');
  });
  worker.on('lockRenewalFailed', (jobIds) => {
    for (const jobId of jobIds) worker.cancelJob(jobId, 'LOST');
  });
  await worker.waitUntilReady();
  return { queue, close: (drainMs) => closeWorker(worker, active, drainMs) };
}

/** A controller per job at work, told together when the process stops: no listener stays on a long-lived signal. */
class ActiveJobs {
  private readonly controllers = new Set<AbortController>();
  private stopped = false;

  begin(): AbortController {
    const controller = new AbortController();
    this.controllers.add(controller);
    if (this.stopped) controller.abort('SHUTDOWN');
    return controller;
  }

  end(controller: AbortController): void {
    this.controllers.delete(controller);
  }

  stop(): void {
    this.stopped = true;
    for (const controller of this.controllers) controller.abort('SHUTDOWN');
  }
}

async function closeWorker(worker: Worker, active: ActiveJobs, drainMs: number): Promise<void> {
  const timer = setTimeout(() => {
    active.stop();
  }, drainMs);
  try {
    await worker.close();
  } catch {
    // a connection that is gone closes nothing; its owner cuts it
  } finally {
    clearTimeout(timer);
  }
}

async function processJob(
  job: Job,
  token: string | undefined,
  lost: AbortSignal | undefined,
  active: ActiveJobs,
  handle: Handle,
  log: Logger,
): Promise<null> {
  if (token === undefined || lost === undefined)
    throw new UnrecoverableError('a job came without token or signal');
  const own = active.begin();
  const onLost = (): void => {
    own.abort('LOST');
  };
  lost.addEventListener('abort', onLost);
  try {
    return await settle(
      job,
      token,
      await throughOutages(() => handle(job, token, own.signal), own.signal, log),
    );
  } finally {
    lost.removeEventListener('abort', onLost);
    active.end(own);
  }
}

async function settle(job: Job, token: string, outcome: JobOutcome): Promise<null> {
  switch (outcome) {
    case 'parked':
      throw new WaitingChildrenError();
    case 'again':
      await job.moveToWait(token);
      throw new WaitingError();
    case 'done':
      // Returning with a pending child would fail the job.
      if (await job.moveToWaitingChildren(token)) throw new WaitingChildrenError();
      return null;
  }
}

/** A handler may run again as a whole; while a store is away it waits, as long as it holds the job. */
async function throughOutages(
  work: () => Promise<JobOutcome>,
  signal: AbortSignal,
  log: Logger,
): Promise<JobOutcome> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw jobFault(error, log);
      log.warn({ err: error }, 'a store is away; the job waits for it');
      if (signal.aborted) return 'again';
      await pause(OUTAGE_RETRY_MS, signal);
    }
  }
}

/** @returns what the job's record may hold of a handler's fault, after the log has it. */
function jobFault(error: unknown, log: Logger): UnrecoverableError {
  log.error({ err: error }, 'a handler failed');
  const name = error instanceof Error ? error.name : typeof error;
  const { code } = (error ?? {}) as { code?: unknown };
  const known = typeof code === 'string' && /^\w{1,64}$/.test(code);
  const fault = new UnrecoverableError(known ? `${name} ${code}` : name);
  fault.stack = fault.message;
  return fault;
}
