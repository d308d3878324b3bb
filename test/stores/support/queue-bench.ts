/** Real workers on the run's Redis, with handlers of the test's own; everything opened is closed again. */
import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { startWorker, type Handle } from '../../../src/shared/adapters/bullmq/job-worker.js';
import {
  createToolQueues,
  parentJob,
  type ToolQueues,
} from '../../../src/shared/adapters/bullmq/parent-job.js';
import { createRunQueue, type ClosableRunQueue } from '../../../src/shared/adapters/bullmq/run-queue.js';
import { closeRedis, connectRedis } from '../../../src/shared/adapters/redis/redis-connection.js';
import { QUEUE_PREFIX } from '../../../src/shared/domain/contracts/jobs.js';
import type { JobOutcome, ParentJob, RunningWorker } from '../../../src/shared/ports/job-runner.js';
import { sharedServers } from '../../support/shared-servers.js';
import { captureLog, type CapturedLog } from './captured-log.js';

export interface WorkOptions {
  concurrency?: number;
  lockMs?: number;
  stalledIntervalMs?: number;
}

/** A promise that a test opens by hand. */
export interface Door {
  readonly opened: Promise<void>;
  open(): void;
}

export interface QueueBench {
  redis: Redis;
  runs: ClosableRunQueue;
  tools: ToolQueues;
  captured: CapturedLog;
  work(queue: string, handle: Handle, options?: WorkOptions): Promise<RunningWorker>;
  /** As `work`, for diagnose jobs. */
  diagnose(
    handle: (parent: ParentJob, signal: AbortSignal, activation: number) => Promise<JobOutcome>,
    options?: WorkOptions,
  ): Promise<RunningWorker>;
  state(queue: string, jobId: string): Promise<string>;
  queue(name: string): Queue;
  /** A closed one; opened with the bench's end at the latest, so that no handler waits on. */
  door(): Door;
  close(): Promise<void>;
}

/** Empties Redis first: one bench, or one fleet, lives at a time. */
export async function openQueueBench(): Promise<QueueBench> {
  const { redisUrl } = await sharedServers();
  const captured = captureLog();
  const redis = await connectRedis(redisUrl, 'worker', captured.log);
  await redis.flushall();
  const runs = createRunQueue(redis);
  const tools = createToolQueues(redis);
  const queues = new Map<string, Queue>();
  const workers: RunningWorker[] = [];
  const doors: Door[] = [];
  const queue = (name: string): Queue => {
    const known = queues.get(name) ?? new Queue(name, { connection: redis, prefix: QUEUE_PREFIX });
    queues.set(name, known);
    return known;
  };
  const work: QueueBench['work'] = async (name, handle, options = {}) => {
    const { concurrency = 10, lockMs = 5000, stalledIntervalMs = 1000 } = options;
    const worker = await startWorker(
      { queue: name, concurrency, lockMs, stalledIntervalMs, connection: redis, log: captured.log },
      handle,
    );
    workers.push(worker);
    return worker;
  };
  const activations = new Map<string, number>();
  return {
    redis,
    runs,
    tools,
    captured,
    work,
    diagnose: (handle, options) =>
      work(
        'runs',
        (job, token, signal) => {
          const count = (activations.get(job.id ?? '') ?? 0) + 1;
          activations.set(job.id ?? '', count);
          return handle(parentJob(job, token, tools), signal, count);
        },
        options,
      ),
    state: async (name, jobId) => queue(name).getJobState(jobId),
    queue,
    door: () => {
      const door = closedDoor();
      doors.push(door);
      return door;
    },
    close: async () => {
      for (const door of doors) door.open();
      await Promise.all(workers.map((worker) => worker.close(0)));
      await Promise.all([...queues.values()].map((open) => open.close()));
      await runs.close();
      await tools.close();
      await closeRedis(redis);
    },
  };
}

function closedDoor(): Door {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    opened,
    open: () => {
      open();
    },
  };
}
