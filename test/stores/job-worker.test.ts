/** A worker’s jobs: given back, taken back, told to stop, and patient with stores that are away. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { startWorker } from '../../src/shared/adapters/bullmq/job-worker.js';
import { openDatabase } from '../../src/shared/adapters/mysql/database.js';
import { createRunStore } from '../../src/shared/adapters/mysql/run-store.js';
import { closeRedis, connectRedis } from '../../src/shared/adapters/redis/redis-connection.js';
import { StoreUnavailable } from '../../src/shared/ports/errors.js';
import { uuidIds } from '../../src/shared/runtime/identity.js';
import { freshDatabase, sharedServers } from '../support/shared-servers.js';
import { until } from '../support/until.js';
import { openQueueBench, type QueueBench } from './support/queue-bench.js';
import { openGate } from './support/tcp-gate.js';
import { migrate } from '../../src/shared/adapters/mysql/migrate.js';

const CHILD = fileURLToPath(new URL('./support/worker-child.js', import.meta.url));
const done = () => Promise.resolve('done' as const);

/** Resolves to the reason once the signal is aborted. */
const aborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => {
    const end = (): void => {
      resolve(signal.reason);
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end);
  });

describe('FL-2 a worker and its jobs', function () {
  this.timeout(30_000);
  let bench: QueueBench;
  let runId: string;
  beforeEach(async () => {
    bench = await openQueueBench();
    runId = uuidIds.runId();
  });
  afterEach(() => bench.close());

  const QUEUE = 'tools.log_search';
  /** One job of its own, without a parent. @returns its ID. */
  const add = async (): Promise<string> => {
    const jobId = `${runId}-a1-t1`;
    await bench.queue(QUEUE).add('call', { runId, call: 1 }, { jobId });
    return jobId;
  };
  const completed = (jobId: string) =>
    until('the job to end', async () => (await bench.state(QUEUE, jobId)) === 'completed');

  it('CA-2 a lost lock aborts the handler as LOST, another worker does the job, and the first ends nothing', async () => {
    const reasons: unknown[] = [];
    let began = 0;
    const short = { lockMs: 500, stalledIntervalMs: 300 };
    const handle = async (_job: unknown, _token: string, signal: AbortSignal) => {
      began += 1;
      if (began > 1) return 'done' as const;
      reasons.push(await aborted(signal));
      return 'done' as const;
    };
    await bench.work(QUEUE, handle, short);
    await bench.work(QUEUE, handle, short);
    const jobId = await add();
    await until('the job to begin', () => began === 1);
    await bench.redis.del(`{sworn}:${QUEUE}:${jobId}:lock`);
    await completed(jobId);
    await until('the first to be told', () => reasons.length === 1);
    expect(reasons).to.deep.equal(['LOST']);
    expect(began).to.equal(2);
    expect((await bench.queue(QUEUE).getJob(jobId))?.failedReason).to.equal(undefined);
  });

  it('CA-2 a process that was paused is told LOST when it wakes; its job was done elsewhere meanwhile', async () => {
    const { redisUrl } = await sharedServers();
    const child = spawn(process.execPath, [CHILD], {
      env: { PATH: process.env['PATH'] ?? '', REDIS_URL: redisUrl, QUEUE },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
    });
    try {
      await until('the child to be ready', () => said.includes('ready'));
      const jobId = await add();
      await until('the child to begin', () => said.includes(`began ${jobId}`));
      child.kill('SIGSTOP');
      let taken = 0;
      await bench.work(
        QUEUE,
        () => {
          taken += 1;
          return done();
        },
        { lockMs: 500, stalledIntervalMs: 200 },
      );
      await completed(jobId);
      child.kill('SIGCONT');
      await until('the child to be told', () => said.includes('stopped'));
      expect(said).to.include('stopped LOST');
      expect(taken).to.equal(1);
      expect(await bench.state(QUEUE, jobId)).to.equal('completed');
    } finally {
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('close', resolve));
    }
  });

  it('FL-5 a stopping worker tells its job so, gives it back, and another finishes it', async () => {
    const reasons: unknown[] = [];
    const first = await bench.work(QUEUE, async (_job, _token, signal) => {
      reasons.push(await aborted(signal));
      return 'again';
    });
    const jobId = await add();
    await until('the job to begin', async () => (await bench.state(QUEUE, jobId)) === 'active');
    await first.close(50);
    expect(reasons).to.deep.equal(['SHUTDOWN']);
    expect(await bench.state(QUEUE, jobId)).to.equal('waiting');
    await bench.work(QUEUE, done);
    await completed(jobId);
    expect((await bench.queue(QUEUE).getJob(jobId))?.stalledCounter ?? 0).to.equal(0);
  });

  it('FL-5 a job that ends within the time to drain is not disturbed, and no other is taken', async () => {
    const door = bench.door();
    let interrupted = false;
    let began = 0;
    const worker = await bench.work(
      QUEUE,
      async (_job, _token, signal) => {
        began += 1;
        await door.opened;
        interrupted = signal.aborted;
        return 'done';
      },
      { concurrency: 1 },
    );
    const jobId = await add();
    await until('the job to begin', () => began === 1);
    await bench.queue(QUEUE).add('call', { runId, call: 2 }, { jobId: `${runId}-a1-t2` });
    const closing = worker.close(20_000);
    door.open();
    await closing;
    expect(interrupted).to.equal(false);
    expect(began).to.equal(1);
    expect(await bench.state(QUEUE, jobId)).to.equal('completed');
    expect(await bench.state(QUEUE, `${runId}-a1-t2`)).to.equal('waiting');
  });

  it('FL-5 a handler that looks at its signal late has been told too', async () => {
    const reasons: unknown[] = [];
    const door = bench.door();
    const worker = await bench.work(QUEUE, async (_job, _token, signal) => {
      await door.opened;
      reasons.push(await aborted(signal));
      return 'again';
    });
    const jobId = await add();
    await until('the job to begin', async () => (await bench.state(QUEUE, jobId)) === 'active');
    const closing = worker.close(0);
    door.open();
    await closing;
    expect(reasons).to.deep.equal(['SHUTDOWN']);
  });

  it('FL-5 a store that is away inside a handler makes the job wait, and fails nothing', async () => {
    let tries = 0;
    await bench.work(QUEUE, () => {
      tries += 1;
      if (tries < 3) throw new StoreUnavailable('MySQL');
      return done();
    });
    const jobId = await add();
    await completed(jobId);
    expect(tries).to.equal(3);
    const job = await bench.queue(QUEUE).getJob(jobId);
    expect([job?.failedReason, job?.attemptsMade]).to.deep.equal([undefined, 1]);
  });

  it('FL-5 a real MySQL that is cut off in the middle of a job: the job goes on when it is back', async () => {
    const gate = await openGate(await freshDatabase());
    const database = await openDatabase({ url: gate.url, poolSize: 2 });
    await migrate(database);
    const store = createRunStore(database);
    let tries = 0;
    try {
      await bench.work(QUEUE, async () => {
        tries += 1;
        if (tries === 1) await gate.shut();
        await store.load(runId);
        return 'done';
      });
      const jobId = await add();
      await until('a second try', () => tries >= 2);
      expect(await bench.state(QUEUE, jobId)).to.equal('active');
      await gate.open();
      await completed(jobId);
    } finally {
      await database.close();
      await gate.close();
    }
  });

  it('FL-5 a job that waits for a store still heeds the end of its process', async () => {
    const worker = await bench.work(QUEUE, () => Promise.reject(new StoreUnavailable('MySQL')));
    const jobId = await add();
    await until('the job to wait', () => bench.captured.text().includes('a store is away'));
    await worker.close(0);
    expect(await bench.state(QUEUE, jobId)).to.equal('waiting');
  });

  it('FL-5 a worker takes jobs again after Redis was away, without being started anew', async () => {
    const { redisUrl } = await sharedServers();
    const gate = await openGate(redisUrl);
    const connection = await connectRedis(gate.url, 'worker', bench.captured.log);
    const worker = await startWorker(
      {
        queue: QUEUE,
        concurrency: 2,
        lockMs: 5000,
        stalledIntervalMs: 1000,
        connection,
        log: bench.captured.log,
      },
      done,
    );
    try {
      await completed(await add());
      for (let outage = 0; outage < 2; outage += 1) {
        await gate.shut();
        await until('the loss to be noticed', () => connection.status !== 'ready');
        runId = uuidIds.runId();
        const jobId = await add();
        await gate.open();
        await completed(jobId);
      }
    } finally {
      await worker.close(0);
      await closeRedis(connection);
      await gate.close();
    }
  });

  it('SE-1 a fault in a handler fails its job with name and code alone, and is logged without its words', async () => {
    await bench.work(QUEUE, () =>
      Promise.reject(Object.assign(new RangeError('SECRET-WORDS'), { code: 'ER_DATA_TOO_LONG' })),
    );
    const jobId = await add();
    await until('the job to fail', async () => (await bench.state(QUEUE, jobId)) === 'failed');
    const job = await bench.queue(QUEUE).getJob(jobId);
    expect(job?.failedReason).to.equal('RangeError ER_DATA_TOO_LONG');
    expect(job?.stacktrace).to.deep.equal(['RangeError ER_DATA_TOO_LONG']);
    expect(bench.captured.text()).to.include('ER_DATA_TOO_LONG').and.not.to.include('SECRET-WORDS');
  });
});
