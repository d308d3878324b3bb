/** What both worker processes open: the stores, the frames, the cancel signal, the queues. */
import { startWorker, type Handle } from '../shared/adapters/bullmq/job-worker.js';
import { createRunQueue, type ClosableRunQueue } from '../shared/adapters/bullmq/run-queue.js';
import { openDatabase, type Database } from '../shared/adapters/mysql/database.js';
import { migrationsCurrent } from '../shared/adapters/mysql/migrate.js';
import { createRunStore } from '../shared/adapters/mysql/run-store.js';
import { createCancelSignal } from '../shared/adapters/redis/cancel-signal.js';
import { createCanonicalStore } from '../shared/adapters/redis/canonical-store.js';
import { createConversationWindow } from '../shared/adapters/redis/conversation-window.js';
import { createEventPublisher } from '../shared/adapters/redis/event-log.js';
import { checkRedis, closeRedis, connectRedis } from '../shared/adapters/redis/redis-connection.js';
import { createSubscriber } from '../shared/adapters/redis/subscriber.js';
import type { CanonicalStore } from '../shared/ports/canonical-store.js';
import type { ConversationWindow } from '../shared/ports/conversation.js';
import type { CancelSignal } from '../shared/ports/event-log.js';
import type { RunningWorker } from '../shared/ports/job-runner.js';
import type { Logger } from '../shared/ports/logger.js';
import type { RunStore } from '../shared/ports/run-store.js';
import type { WorkerEnv } from '../shared/runtime/env.js';
import { systemClock } from '../shared/runtime/identity.js';
import type { ShutdownStep } from '../shared/runtime/shutdown.js';
import { StartFault } from '../shared/runtime/start-fault.js';
import { createFrames, type Frames } from './frames.js';
import type { Redis } from 'ioredis';

export interface WorkerStores {
  database: Database;
  redis: Redis;
  store: RunStore;
  canonical: CanonicalStore;
  conversation: ConversationWindow;
  frames: Frames;
  cancel: CancelSignal;
  queue: ClosableRunQueue;
  work: (queue: string, concurrency: number, handle: Handle) => Promise<RunningWorker>;
  /** To be closed after the workers. */
  steps: readonly ShutdownStep[];
}

/** @throws {StoreUnavailable} @throws {StartFault} */
export async function openWorkerStores(
  env: WorkerEnv,
  log: Logger,
  onCancel?: (runId: string) => void,
): Promise<WorkerStores> {
  const database = await openDatabase({ url: env.DATABASE_URL, poolSize: env.DATABASE_POOL });
  if (!(await migrationsCurrent(database)))
    throw new StartFault('The database is behind this version: run npm run migrate, then start again');
  const redis = await connectRedis(env.REDIS_URL, 'worker', log);
  await checkRedis(redis);
  const subscriber = createSubscriber(await connectRedis(env.REDIS_URL, 'subscriber', log), log);
  const store = createRunStore(database);
  const queue = createRunQueue(redis);
  return {
    database,
    redis,
    store,
    queue,
    canonical: createCanonicalStore(redis, env.INVOCATION_TTL_S),
    conversation: createConversationWindow(redis),
    frames: createFrames(createEventPublisher(redis, env.EVENT_LOG_TTL_S), store, systemClock),
    cancel: await createCancelSignal(redis, subscriber, onCancel),
    work: (name, concurrency, handle) =>
      startWorker(
        {
          queue: name,
          concurrency,
          lockMs: env.JOB_LOCK_MS,
          stalledIntervalMs: env.STALLED_INTERVAL_MS,
          connection: redis,
          log,
        },
        handle,
      ),
    steps: [
      { name: 'queues', close: () => queue.close() },
      { name: 'subscriber', close: () => subscriber.close() },
      { name: 'redis', close: () => closeRedis(redis) },
      { name: 'mysql', close: () => database.close() },
    ],
  };
}

/** The workers' own step of a shutdown: all at once, drained for half of the time given. */
export function workersStep(workers: readonly RunningWorker[], shutdownTimeoutMs: number): ShutdownStep {
  return {
    name: 'workers',
    close: () => Promise.all(workers.map((worker) => worker.close(Math.floor(shutdownTimeoutMs / 2)))),
  };
}
