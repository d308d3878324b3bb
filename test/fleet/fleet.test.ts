import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { startFleet, type Fleet, type FleetOptions } from '../../src/fleet/fleet.js';
import { baseUrlOf, wantsAnalyst } from '../../src/fleet/fleet-env.js';
import { isOurs } from '../../src/fleet/process-identity.js';
import { parseProcfile } from '../../src/fleet/procfile.js';
import { EnvFault } from '../../src/shared/runtime/env.js';
import { StartFault } from '../../src/shared/runtime/start-fault.js';
import { tempDirs } from './support/temp-dir.js';
import { until } from './support/until.js';

/** Small processes in the fleet's places; each notes what it does in `journal`. */
const NOTE = `const note = (text) => require('node:fs').appendFileSync('journal', text + '\\n');
process.stdin.on('end', () => process.exit(0)).resume();`;
const serving = (name: string, path: string, port: string): string => `${NOTE}
const server = require('node:http').createServer((request, response) => {
  response.writeHead(request.url === '${path}' ? 200 : 404).end(JSON.stringify(process.env));
});
server.listen(Number(process.env.${port}), '127.0.0.1', () => note('${name} up'));
process.on('SIGTERM', () => { note('${name} stopped'); process.exit(0); });`;
const working = (name: string): string => `${NOTE}
note('${name} up');
process.on('SIGTERM', () => setTimeout(() => { note('${name} stopped'); process.exit(0); }, 100));`;

const FILES = {
  Procfile:
    'release: node release.cjs\napi: node api.cjs\ndiagnosis: node diagnosis.cjs\nguard: node guard.cjs\n',
  'release.cjs': `${NOTE} note('released'); process.exit(process.env.FAIL_RELEASE ? (console.error('no column'), 5) : 0);`,
  'api.cjs': serving('api', '/readyz', 'PORT'),
  'diagnosis.cjs': working('diagnosis'),
  'guard.cjs': working('guard'),
  'dist/src/offline-analyst/main.js': serving('analyst', '/v1/models', 'OFFLINE_ANALYST_PORT'),
};

describe('FL-7 the fleet on one machine', function () {
  this.timeout(60_000);
  const tempDir = tempDirs();
  /** Without what the machine at hand may have set. */
  const env = { PATH: process.env['PATH'], SHUTDOWN_TIMEOUT_MS: '5000' };

  async function project(change: Partial<Record<keyof typeof FILES, string>> = {}): Promise<string> {
    const root = await tempDir();
    for (const [name, text] of Object.entries({ ...FILES, ...change })) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), text);
    }
    return root;
  }

  async function withFleet(options: FleetOptions, work: (fleet: Fleet) => Promise<void>): Promise<void> {
    const fleet = await startFleet({ env, port: 0, quiet: true, ...options });
    try {
      await work(fleet);
    } finally {
      await fleet.stop();
    }
  }

  const refusal = async (options: FleetOptions): Promise<Error> =>
    startFleet({ env, port: 0, quiet: true, ...options }).then(
      async (fleet) => {
        await fleet.stop();
        throw new Error('the fleet started');
      },
      (error: unknown) => error as Error,
    );

  const journal = async (root: string): Promise<string[]> =>
    (await readFile(join(root, 'journal'), 'utf8')).trim().split('\n');

  const serverPids = async (root: string): Promise<number[]> => {
    const texts = await Promise.all(
      ['redis/redis.pid', 'mariadb/server.pid'].map((file) =>
        readFile(join(root, '.sworn', file), 'utf8').catch(() => '0'),
      ),
    );
    return texts.map((text) => Number.parseInt(text, 10)).filter((pid) => pid > 0);
  };

  const nothingRuns = async (root: string): Promise<boolean> => {
    const alive = await Promise.all((await serverPids(root)).map((pid) => isOurs(pid, root)));
    return !alive.includes(true);
  };

  it('starts stores, analyst, migration and processes in order, and stops them in the reverse one', async () => {
    const root = await project();
    await withFleet(
      {
        root,
        extraEnv: { FROM_CALLER: 'yes' },
        beforeProcesses: (stores) =>
          Promise.resolve({
            FROM_HOOK: stores.adminDatabaseUrl ?? '',
            TARGET_DATABASE_URL: stores.databaseUrl,
          }),
      },
      async (fleet) => {
        const answer = await fetch(`${fleet.baseUrl}/readyz`);
        const seen = (await answer.json()) as Record<string, string>;
        expect(seen).to.include({
          FROM_CALLER: 'yes',
          FROM_HOOK: fleet.adminDatabaseUrl,
          TARGET_DATABASE_URL: fleet.databaseUrl,
          OPENAI_MODEL: 'sworn-offline-analyst',
          OPENAI_API_KEY: 'offline',
          OFFLINE_ANALYST: '1',
          SWORN_SUPERVISED: '1',
          ADMIN_TOKEN: fleet.adminToken,
        });
        expect(seen['OPENAI_BASE_URL']).to.match(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
        expect(seen['REDIS_URL']).to.match(/^redis:\/\/:/);
        const tokenFile = fleet.adminTokenFile ?? '';
        expect((await readFile(tokenFile, 'utf8')).trim()).to.equal(fleet.adminToken);
        expect((await stat(tokenFile)).mode & 0o777).to.equal(0o600);
        await until(
          'all are up',
          async () => (await journal(root)).filter((line) => line.endsWith(' up')).length === 4,
        );
        const servers = await serverPids(root);
        expect(servers).to.have.length(2);
        await fleet.stop();
        for (const pid of servers) expect(await isOurs(pid, root)).to.equal(false);
      },
    );
    const lines = await journal(root);
    expect(lines.slice(0, 2)).to.deep.equal(['analyst up', 'released']);
    const stops = lines.filter((line) => line.endsWith(' stopped'));
    expect([...stops.slice(0, 3)].sort()).to.deep.equal([
      'api stopped',
      'diagnosis stopped',
      'guard stopped',
    ]);
    expect(stops[3]).to.equal('analyst stopped');
  });

  it('starts a process again that dies, while the others go on', async () => {
    const root = await project();
    const said: string[] = [];
    await withFleet({ root, say: (line) => said.push(line) }, async (fleet) => {
      const before = fleet.pids();
      process.kill(before.get('guard') ?? 0, 'SIGKILL');
      const pid = await until('guard runs again', () => {
        const now = fleet.pids().get('guard');
        return now === before.get('guard') ? undefined : now;
      });
      expect(pid).to.be.greaterThan(0);
      expect(said).to.include('guard died (SIGKILL); starting it again in 0.5 s');
      expect(fleet.pids().get('api')).to.equal(before.get('api'));
    });
  });

  it('names a port that is in use, and starts nothing', async () => {
    const root = await project();
    const taken = await new Promise<Server>((resolve) => {
      const server = createServer().listen(0, '127.0.0.1', () => {
        resolve(server);
      });
    });
    try {
      const { port } = taken.address() as { port: number };
      const fault = await refusal({ root, port });
      expect(fault).to.be.instanceOf(StartFault);
      expect(fault.message).to.include(`PORT=${port} is in use`);
      expect(await serverPids(root)).to.deep.equal([]);
    } finally {
      taken.close();
    }
  });

  it('names every fault of the environment before anything starts', async () => {
    const root = await project();
    const fault = await refusal({ root, env: { ...env, REDIS_URL: 'http://x', LOG_LEVEL: 'loud' } });
    expect(fault).to.be.instanceOf(EnvFault);
    expect(fault.message).to.include('REDIS_URL').and.include('LOG_LEVEL');
    expect(await serverPids(root)).to.deep.equal([]);
  });

  it('refuses a model that is configured by half, and stops the stores again', async () => {
    const root = await project();
    const fault = await refusal({ root, env: { ...env, OPENAI_API_KEY: 'k' } });
    expect(fault).to.be.instanceOf(EnvFault);
    expect(fault.message).to.include('OPENAI_MODEL');
    expect(await nothingRuns(root)).to.equal(true);
  });

  it('shows why the migration failed, and stops the stores again', async () => {
    const root = await project();
    const fault = await refusal({ root, extraEnv: { FAIL_RELEASE: '1' } });
    expect(fault.message).to.include('exit code 5').and.include('no column');
    expect(await nothingRuns(root)).to.equal(true);
    expect(await journal(root)).to.deep.equal(['analyst up', 'released', 'analyst stopped']);
  });

  it('gives up a process that does not stay up, with its last words', async () => {
    const root = await project({ 'api.cjs': `console.error('no good port'); process.exit(9);` });
    const fault = await refusal({ root });
    expect(fault.message).to.include('api').and.include('exit code 9').and.include('no good port');
    expect(await nothingRuns(root)).to.equal(true);
  });

  it('ends a start that is given up', async () => {
    const root = await project({ 'api.cjs': working('api') });
    const giveUp = new AbortController();
    const refused = refusal({ root, signal: giveUp.signal });
    await until('api runs', async () => (await journal(root).catch((): string[] => [])).includes('api up'));
    giveUp.abort();
    expect(await refused).to.be.instanceOf(StartFault);
    expect(await nothingRuns(root)).to.equal(true);
  });

  it('lets the offline analyst answer only beside embedded stores or when asked for', () => {
    const none = { OFFLINE_ANALYST: false };
    expect(wantsAnalyst(none, false)).to.equal(true);
    expect(wantsAnalyst(none, true)).to.equal(false);
    expect(wantsAnalyst({ OFFLINE_ANALYST: true }, true)).to.equal(true);
    expect(wantsAnalyst({ OFFLINE_ANALYST: true, OPENAI_BASE_URL: 'http://m' }, false)).to.equal(false);
    expect(wantsAnalyst({ OFFLINE_ANALYST: false, OPENAI_API_KEY: 'k' }, false)).to.equal(false);
  });

  it('reads a Procfile strictly', () => {
    expect([...parseProcfile('# the fleet\n\napi: node a.js --x\r\nguard:  node g.js\n')]).to.deep.equal([
      ['api', 'node a.js --x'],
      ['guard', 'node g.js'],
    ]);
    expect(() => parseProcfile('api node')).to.throw(StartFault, 'line 1');
    expect(() => parseProcfile('a: x\na: y')).to.throw(StartFault, 'line 2');
    expect(baseUrlOf('0.0.0.0', 1)).to.equal('http://127.0.0.1:1');
    expect(baseUrlOf('::', 1)).to.equal('http://[::1]:1');
  });
});
