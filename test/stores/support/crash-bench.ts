/** Worker processes without an API: Runs are made through the stores and the queue, and read back from both. */
import { expect } from 'chai';
import { createConnection, type Connection } from 'mysql2/promise';
import { createRunQueue, type ClosableRunQueue } from '../../../src/shared/adapters/bullmq/run-queue.js';
import { createRunIntake } from '../../../src/shared/adapters/mysql/run-intake.js';
import { createRunReader } from '../../../src/shared/adapters/mysql/run-reader.js';
import { createRunStore } from '../../../src/shared/adapters/mysql/run-store.js';
import { readFrames } from '../../../src/shared/adapters/redis/event-log.js';
import type { Frame } from '../../../src/shared/domain/contracts/events.js';
import type { RunView } from '../../../src/shared/domain/contracts/run.js';
import type { RunReader } from '../../../src/shared/ports/run-intake.js';
import type { RunStore } from '../../../src/shared/ports/run-store.js';
import { WINDOW, writeLogs } from '../../run/incident.js';
import { startTestFleet, type TestFleet } from '../../support/fleet.js';
import { freshDatabase } from '../../support/shared-servers.js';
import type { FleetProcess } from '../../support/test-fleet.js';
import { until } from '../../support/until.js';
import { newRun } from './sample-rows.js';

const PATIENCE_MS = 30_000;

export interface CrashBench {
  fleet: TestFleet;
  queue: ClosableRunQueue;
  reader: RunReader;
  store: RunStore;
  /** The database that `mysql_query` reads; a table `orders` with three rows stands in it. */
  target: Connection;
  /** Commits a Run. */
  create(): Promise<string>;
  /** Commits a Run and enqueues it. */
  start(): Promise<string>;
  view(runId: string): Promise<RunView | undefined>;
  /** The frames of a Run that has ended; fails unless they are numbered without a gap and end once. */
  ended(runId: string, from?: number): Promise<Frame[]>;
  /** Waits for the model to be asked in that stage so many times. */
  asked(stage: string, times?: number): Promise<void>;
  /** How often each call was taken up by a worker. */
  claims(runId: string): Promise<number[]>;
  /** The one living process of that name. */
  only(name: 'diagnosis' | 'guard'): FleetProcess;
  close(): Promise<void>;
}

export async function openCrashBench(): Promise<CrashBench> {
  const targetUrl = await freshDatabase();
  const target = await createConnection({ uri: targetUrl });
  await target.query('CREATE TABLE orders (id int PRIMARY KEY)');
  await target.query('INSERT INTO orders VALUES (1), (2), (3)');
  const fleet = await startTestFleet({
    processes: ['diagnosis', 'guard'],
    env: {
      LOG_DIR: await writeLogs(),
      TARGET_DATABASE_URL: targetUrl,
      SHUTDOWN_TIMEOUT_MS: '3000',
      JOB_LOCK_MS: '1000',
      STALLED_INTERVAL_MS: '500',
      SWEEP_INTERVAL_MS: '300',
    },
  });
  const queue = createRunQueue(fleet.redis);
  const reader = createRunReader(fleet.database);
  const store = createRunStore(fleet.database);
  const create = async (): Promise<string> => {
    const run = newRun({
      query: 'QUERY-WORDS why is checkout slow?',
      window: WINDOW,
      createdAt: new Date(),
    });
    await createRunIntake(fleet.database).create(run);
    return run.runId;
  };
  return {
    fleet,
    queue,
    reader,
    store,
    target,
    create,
    start: async () => {
      const runId = await create();
      await queue.enqueueRun(runId, 1);
      return runId;
    },
    view: async (runId) => (await reader.run(runId))?.view,
    ended: (runId, from = 1) => framesOf(fleet, reader, runId, from),
    asked: (stage, times = 1) =>
      until(
        `call ${times} of ${stage}`,
        () => fleet.model.requests.filter((item) => item.stage === stage).length >= times,
        PATIENCE_MS,
      ),
    claims: async (runId) => (await store.invocations(runId)).map(({ claim }) => claim),
    only: (name) => {
      const living = fleet.processes(name).filter(({ child }) => child.signalCode === null);
      if (living[0] === undefined || living.length > 1)
        throw new Error(`${living.length} processes of ${name} run`);
      return living[0];
    },
    close: async () => {
      await queue.close();
      await fleet.stop();
      target.destroy();
    },
  };
}

async function framesOf(fleet: TestFleet, reader: RunReader, runId: string, from: number): Promise<Frame[]> {
  const frameCount = async () => (await reader.run(runId))?.frameCount ?? null;
  await until('the last frame', async () => (await frameCount()) !== null, PATIENCE_MS);
  const frames = await readFrames(fleet.redis, runId, 0);
  expect(frames.map(({ seq }) => seq)).to.deep.equal(frames.map((_, index) => index + from));
  const names = frames.map(({ event }) => event);
  expect(names[0]).to.equal('metadata');
  expect(names.filter((name) => name === 'done')).to.have.length(1);
  expect(names.at(-1)).to.equal('done');
  expect(await frameCount()).to.equal(frames.at(-1)?.seq);
  return frames;
}
