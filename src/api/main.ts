/** The API process: takes Runs in, relays their frames, shows the queues. */
import { Queue } from 'bullmq';
import { createRunQueue } from '../shared/adapters/bullmq/run-queue.js';
import { openDatabase } from '../shared/adapters/mysql/database.js';
import { migrationsCurrent } from '../shared/adapters/mysql/migrate.js';
import { createRunIntake } from '../shared/adapters/mysql/run-intake.js';
import { createRunReader } from '../shared/adapters/mysql/run-reader.js';
import { createTokenStore } from '../shared/adapters/mysql/token-store.js';
import { createCancelNotifier } from '../shared/adapters/redis/cancel-signal.js';
import { createEventPublisher } from '../shared/adapters/redis/event-log.js';
import { createEventReader } from '../shared/adapters/redis/event-reader.js';
import { checkRedis, closeRedis, connectRedis } from '../shared/adapters/redis/redis-connection.js';
import { createRunOwners } from '../shared/adapters/redis/run-owners.js';
import { createSubscriber } from '../shared/adapters/redis/subscriber.js';
import { ALL_QUEUES, QUEUE_PREFIX } from '../shared/domain/contracts/jobs.js';
import { readStoreEnv } from '../shared/runtime/env.js';
import { systemClock, uuidIds } from '../shared/runtime/identity.js';
import { createLogger } from '../shared/runtime/logging.js';
import { runProcess } from '../shared/runtime/process-runner.js';
import { createApp } from './app.js';
import { createDashboard } from './dashboard.js';
import { listen } from './http/http-server.js';
import { apiSettings } from './settings.js';

await runProcess(async () => {
  const env = readStoreEnv(process.env);
  const log = createLogger('api', env.LOG_LEVEL);
  const database = await openDatabase({ url: env.DATABASE_URL, poolSize: env.DATABASE_POOL });
  const redis = await connectRedis(env.REDIS_URL, 'producer', log);
  await checkRedis(redis);
  const subscriber = createSubscriber(await connectRedis(env.REDIS_URL, 'subscriber', log), log);
  const queue = createRunQueue(redis);
  const shown = ALL_QUEUES.map((name) => new Queue(name, { connection: redis, prefix: QUEUE_PREFIX }));
  for (const each of shown) each.on('error', (err) => log.debug({ err }, 'dashboard queue'));
  const app = createApp({
    intake: createRunIntake(database),
    runs: createRunReader(database),
    events: createEventReader(redis, subscriber),
    publisher: createEventPublisher(redis, env.EVENT_LOG_TTL_S),
    cancel: createCancelNotifier(redis),
    queue,
    tokens: createTokenStore(database),
    owners: createRunOwners(redis, systemClock),
    clock: systemClock,
    ids: uuidIds,
    log,
    ready: async () => {
      await redis.ping();
      return migrationsCurrent(database);
    },
    dashboard: createDashboard(shown),
    settings: apiSettings(env),
  });
  const handle = app.callback();
  const server = await listen((request, response) => void handle(request, response), env.HOST, env.PORT);
  log.info({ url: server.url }, 'ready');
  return {
    log,
    shutdownTimeoutMs: env.SHUTDOWN_TIMEOUT_MS,
    steps: [
      { name: 'http', close: () => Promise.all([server.close(), app.closeStreams()]) },
      { name: 'queues', close: () => Promise.all([queue.close(), ...shown.map((each) => each.close())]) },
      { name: 'subscriber', close: () => subscriber.close() },
      { name: 'redis', close: () => closeRedis(redis) },
      { name: 'mysql', close: () => database.close() },
    ],
  };
});
