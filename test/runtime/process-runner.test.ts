/** Real processes under the runner: how they start, why they do not, and how they end. */
import { spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { openDatabase } from '../../src/shared/adapters/mysql/database.js';
import { migrate } from '../../src/shared/adapters/mysql/migrate.js';
import { freshDatabase, sharedServers } from '../support/shared-servers.js';
import { freePort } from '../support/test-fleet.js';
import { until } from '../support/until.js';

const CHILD = './support/runner-child.js';
const WORKER = '../../src/workers/diagnosis/main.js';

interface Started {
  child: ChildProcess;
  out(): string;
  err(): string;
  exited: Promise<number | null>;
}

function start(file: string, env: Readonly<Record<string, string>>): Started {
  const child = spawn(process.execPath, [fileURLToPath(new URL(file, import.meta.url))], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString('utf8');
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString('utf8');
  });
  const exited = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { child, out: () => out, err: () => err, exited };
}

describe('FL-7 a process', function () {
  this.timeout(30_000);
  const open: Started[] = [];
  const run = (env: Readonly<Record<string, string>> = {}, file = CHILD): Started => {
    const started = start(file, env);
    open.push(started);
    return started;
  };
  const started = (item: Started) => until('the process to start', () => item.out().includes('started'));
  afterEach(async () => {
    for (const { child } of open) child.kill('SIGKILL');
    await Promise.all(open.splice(0).map(({ exited }) => exited));
  });

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`FL-7 ${signal} closes everything in order, once, and the process leaves with 0`, async () => {
      const item = run();
      await started(item);
      item.child.kill(signal);
      item.child.kill(signal);
      expect(await item.exited).to.equal(0);
      expect(item.out().match(/close \w+/g)).to.deep.equal(['close first', 'close second']);
      expect(item.out()).to.include('"msg":"stopped"');
      expect(item.err()).to.equal('');
    });
  }

  it('FL-7 the end of a supervisor’s pipe ends the process; of one without a supervisor it does not', async () => {
    const supervised = run({ SWORN_SUPERVISED: '1' });
    const free = run();
    await Promise.all([started(supervised), started(free)]);
    supervised.child.stdin?.end();
    free.child.stdin?.end();
    expect(await supervised.exited).to.equal(0);
    expect(supervised.out()).to.include('close second');
    expect(free.child.exitCode).to.equal(null);
  });

  it('FL-7 a signal during the start ends the process once it has started, in order', async () => {
    const item = run({ ORDER: 'slow start' });
    await until('the start to begin', () => item.out().includes('starting'));
    item.child.kill('SIGTERM');
    expect(await item.exited).to.equal(0);
    expect(item.out()).to.match(/started[^]*close first[^]*close second/);
  });

  it('FL-7 a step that hangs is left behind: the others close, and the process leaves with 1', async () => {
    const item = run({ ORDER: 'hang' });
    await started(item);
    item.child.kill('SIGTERM');
    expect(await item.exited).to.equal(1);
    expect(item.out()).to.include('close second').and.to.include('"failed":["first"]');
  });

  it('FL-7 a process that cannot go on closes in order, says why, and leaves with 1', async () => {
    const item = run({ ORDER: 'fail' });
    expect(await item.exited).to.equal(1);
    expect(item.out()).to.include('close second').and.to.include('"reason":"the locks are gone"');
  });

  it('SE-1 a reason not to start is one line that names the thing, without a stack, and the exit code 1', async () => {
    const told: [string, RegExp][] = [
      ['start fault', /^PORT is taken: choose another\n$/],
      ['redis', /^Redis is out of reach: check REDIS_URL .*\n$/],
      ['mysql', /^MySQL is out of reach: check DATABASE_URL .*\n$/],
      ['bug', /^sworn could not start: TypeError E_BROKEN: something broke .*\n$/],
    ];
    await Promise.all(
      told.map(async ([order, line]) => {
        const item = run({ ORDER: order });
        expect(await item.exited).to.equal(1);
        expect(item.err()).to.match(line);
        expect(item.err()).not.to.match(/\n {4}at |SECRET/);
        expect(item.out()).to.equal('');
      }),
    );
  });

  it('SE-1 at LOG_LEVEL=debug a bug at start shows where', async () => {
    const item = run({ ORDER: 'bug', LOG_LEVEL: 'debug' });
    await item.exited;
    expect(item.err()).to.match(/\n {4}at /);
  });
});

describe('FL-5 a worker that cannot start', function () {
  this.timeout(30_000);
  const model = { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1', OPENAI_MODEL: 'm' };
  const ends = async (env: Readonly<Record<string, string>>): Promise<string> => {
    const item = start(WORKER, env);
    expect(await item.exited, item.err()).to.equal(1);
    expect(item.err()).not.to.match(/\n {4}at |SECRET/);
    return item.err();
  };

  it('FL-5 names every fault of its environment at once', async () => {
    const told = await ends({ PORT: 'SECRET', REDIS_URL: 'SECRET', LOG_LEVEL: 'SECRET' });
    expect(told.match(/ {2}- \w+/g)?.map((line) => line.slice(4))).to.have.members([
      'PORT',
      'REDIS_URL',
      'LOG_LEVEL',
      'DATABASE_URL',
      'OPENAI_API_KEY',
      'OPENAI_MODEL',
    ]);
  });

  it('FL-5 names the store that is away, the database that is behind, and the account that is refused', async () => {
    const { redisUrl } = await sharedServers();
    const behind = await freshDatabase();
    const current = await freshDatabase();
    const database = await openDatabase({ url: current, poolSize: 2 });
    await migrate(database);
    await database.close();
    const refused = new URL(current);
    refused.password = 'SECRET';
    const nobody = `127.0.0.1:${await freePort()}`;
    const [away, old, noRedis, denied] = await Promise.all([
      ends({ ...model, REDIS_URL: redisUrl, DATABASE_URL: `mysql://root:SECRET@${nobody}/sworn` }),
      ends({ ...model, REDIS_URL: redisUrl, DATABASE_URL: behind }),
      ends({ ...model, REDIS_URL: `redis://:SECRET@${nobody}`, DATABASE_URL: current }),
      ends({ ...model, REDIS_URL: redisUrl, DATABASE_URL: refused.toString() }),
    ]);
    expect(away).to.match(/^MySQL is out of reach: check DATABASE_URL/);
    expect(old).to.match(/^The database is behind this version: run npm run migrate/);
    expect(noRedis).to.match(/^Redis is out of reach: check REDIS_URL/);
    expect(denied).to.match(/^DATABASE_URL does not fit: .*password/);
  });
});
