/**
 * A fleet of real processes for tests: api, diagnosis and guard on the run's throw-away servers, in front of a scripted
 * model. Each fleet has a schema of its own; Redis is emptied first, since only one fleet lives at a time.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { migrate } from '../../src/shared/adapters/mysql/migrate.js';
import { openDatabase, type Database } from '../../src/shared/adapters/mysql/database.js';
import { until } from './until.js';
import { freshDatabase, sharedServers } from './shared-servers.js';
import { startScriptedModel, type ScriptedModel } from './scripted-model.js';

export type ProcessName = 'api' | 'diagnosis' | 'guard';

const ENTRIES: Readonly<Record<ProcessName, string>> = {
  api: '../../src/api/main.js',
  diagnosis: '../../src/workers/diagnosis/main.js',
  guard: '../../src/workers/guard/main.js',
};
export const ADMIN_TOKEN = 'admin-token-for-tests';

export interface FleetProcess {
  name: ProcessName;
  child: ChildProcess;
  /** What it has written to both of its outputs. */
  output: () => string;
  exited: Promise<number | null>;
}

export interface TestFleet {
  readonly baseUrl: string;
  readonly env: Readonly<Record<string, string>>;
  readonly model: ScriptedModel;
  readonly redis: Redis;
  readonly database: Database;
  /** Starts one more process of that name; of the API on a port of its own when `env.PORT` says so. */
  start(name: ProcessName, env?: Readonly<Record<string, string>>): Promise<FleetProcess>;
  processes(name: ProcessName): FleetProcess[];
  /** Everything that any process has written. */
  output(): string;
  stop(): Promise<void>;
}

export interface FleetOptions {
  env?: Readonly<Record<string, string>>;
  processes?: readonly ProcessName[];
}

export async function startTestFleet(options: FleetOptions = {}): Promise<TestFleet> {
  const servers = await sharedServers();
  const model = await startScriptedModel();
  const databaseUrl = await freshDatabase();
  const redis = new Redis(servers.redisUrl, { maxRetriesPerRequest: null });
  await redis.flushall();
  const database = await openDatabase({ url: databaseUrl, poolSize: 4 });
  await migrate(database);
  const port = await freePort();
  const env = { ...baseEnv(servers.redisUrl, databaseUrl, model.url, port), ...options.env };
  const running: FleetProcess[] = [];
  const start = async (
    name: ProcessName,
    more: Readonly<Record<string, string>> = {},
  ): Promise<FleetProcess> => {
    const started = launch(name, { ...env, ...more });
    running.push(started);
    await ready(started, Number(more['PORT'] ?? port));
    return started;
  };
  await Promise.all((options.processes ?? ['api', 'diagnosis', 'guard']).map((name) => start(name)));
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    env,
    model,
    redis,
    database,
    start,
    processes: (name) => running.filter((item) => item.name === name && item.child.exitCode === null),
    output: () => running.map((item) => item.output()).join('\n'),
    stop: async () => {
      for (const { child } of running) child.kill('SIGTERM');
      const hurry = setTimeout(() => {
        for (const { child } of running) child.kill('SIGKILL');
      }, 8000);
      await Promise.all(running.map(({ exited }) => exited));
      clearTimeout(hurry);
      await database.close();
      redis.disconnect();
      await model.close();
    },
  };
}

function baseEnv(
  redisUrl: string,
  databaseUrl: string,
  modelUrl: string,
  port: number,
): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    REDIS_URL: redisUrl,
    DATABASE_URL: databaseUrl,
    OPENAI_BASE_URL: modelUrl,
    OPENAI_API_KEY: 'key-for-tests',
    OPENAI_MODEL: 'scripted-1',
    ADMIN_TOKEN,
    PORT: String(port),
    LOG_LEVEL: 'info',
    JOB_LOCK_MS: '2000',
    STALLED_INTERVAL_MS: '1000',
    SWEEP_INTERVAL_MS: '1000',
    HEARTBEAT_MS: '500',
    DISCONNECT_GRACE_MS: '300',
    SHUTDOWN_TIMEOUT_MS: '6000',
  };
}

function launch(name: ProcessName, env: Record<string, string>): FleetProcess {
  const child = spawn(process.execPath, [fileURLToPath(new URL(ENTRIES[name], import.meta.url))], {
    env: { ...env, SWORN_SUPERVISED: '1' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let text = '';
  const keep = (chunk: Buffer): void => {
    text = (text + chunk.toString('utf8')).slice(-2_000_000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const exited = new Promise<number | null>((resolve) => {
    child.on('exit', (code) => {
      resolve(code);
    });
  });
  return { name, child, output: () => text, exited };
}

async function ready(started: FleetProcess, port: number): Promise<void> {
  await until(`${started.name} to be ready`, async () => {
    if (started.child.exitCode !== null) throw new Error(`${started.name} ended: ${started.output()}`);
    if (started.name !== 'api') return started.output().includes('"msg":"ready"');
    const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    return response?.status === 200;
  });
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
