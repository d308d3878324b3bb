/** A worker process for tests: takes jobs of one queue and holds each until it is told to stop; says both on stdout. */
import { startWorker } from '../../../src/shared/adapters/bullmq/job-worker.js';
import { connectRedis } from '../../../src/shared/adapters/redis/redis-connection.js';
import { createLogger } from '../../../src/shared/runtime/logging.js';

const say = (word: string): void => {
  process.stdout.write(`${word}\n`);
};
const log = createLogger('child', 'silent');
const connection = await connectRedis(process.env['REDIS_URL'] ?? '', 'worker', log);
await startWorker(
  {
    queue: process.env['QUEUE'] ?? '',
    concurrency: 1,
    lockMs: 500,
    stalledIntervalMs: 200,
    connection,
    log,
  },
  async (job, _token, signal) => {
    say(`began ${job.id ?? ''}`);
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve);
    });
    say(`stopped ${String(signal.reason)}`);
    return 'done';
  },
);
say('ready');
