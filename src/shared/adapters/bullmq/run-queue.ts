/** {@link RunQueue} on BullMQ: one flow per Run, `release ← diagnose`; Tool jobs are added to it round by round. */
import { FlowProducer, Queue, type FlowJob } from 'bullmq';
import type { Redis } from 'ioredis';
import { GUARDS_QUEUE, QUEUE_PREFIX, RUNS_QUEUE, RunJob } from '../../domain/contracts/jobs.js';
import { StoreUnavailable } from '../../ports/errors.js';
import type { RunQueue } from '../../ports/job-queue.js';

const ADD_TIMEOUT_MS = 5000;
/** Finished jobs are kept for the dashboard, and longer than a Run may last. */
export const KEEP_COMPLETED = { age: 24 * 60 * 60, count: 5000 };
export const KEEP_FAILED = { age: 7 * 24 * 60 * 60, count: 5000 };

/** Job IDs hold dashes only; the attempt is in them, so that a kept ID never makes an add a silent no-op. */
export const runJobId = (kind: 'release' | 'diagnose', runId: string, attempt: number): string =>
  `${runId}-${kind}-a${attempt}`;

export interface ClosableRunQueue extends RunQueue {
  close(): Promise<void>;
}

export function createRunQueue(connection: Redis): ClosableRunQueue {
  const flows = new FlowProducer({ connection, prefix: QUEUE_PREFIX });
  const guards = new Queue(GUARDS_QUEUE, { connection, prefix: QUEUE_PREFIX });
  const runs = new Queue(RUNS_QUEUE, { connection, prefix: QUEUE_PREFIX });
  // Faults are logged by the connection's owner; without a listener they would end the process.
  flows.on('error', ignore);
  guards.on('error', ignore);
  runs.on('error', ignore);
  return {
    enqueueRun: async (runId, attempt) => {
      await bounded(flows.add(runFlow(runId, attempt)));
    },
    waitingRuns: () => bounded(runs.getWaitingCount()),
    isLive: async (runId, attempt) => {
      const job = await bounded(guards.getJob(runJobId('release', runId, attempt)));
      if (job === undefined) return false;
      const state = await bounded(job.getState());
      return state !== 'completed' && state !== 'failed' && state !== 'unknown';
    },
    close: async () => {
      await Promise.allSettled([flows.close(), guards.close(), runs.close()]);
    },
  };
}

function runFlow(runId: string, attempt: number): FlowJob {
  const data = RunJob.parse({ runId, attempt });
  const keep = { removeOnComplete: KEEP_COMPLETED, removeOnFail: KEEP_FAILED };
  return {
    name: 'release',
    queueName: GUARDS_QUEUE,
    data,
    opts: { jobId: runJobId('release', runId, attempt), ...keep },
    children: [
      {
        name: 'diagnose',
        queueName: RUNS_QUEUE,
        data,
        opts: { jobId: runJobId('diagnose', runId, attempt), ignoreDependencyOnFailure: true, ...keep },
      },
    ],
  };
}

function ignore(): void {
  return undefined;
}

/** A producer that hangs would hang its HTTP client: after a while the store counts as away. */
export async function bounded<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new StoreUnavailable('Redis'));
    }, ADD_TIMEOUT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    throw new StoreUnavailable('Redis', { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
