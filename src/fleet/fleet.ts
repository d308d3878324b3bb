/**
 * The whole of sworn on one machine: stores, offline analyst, migrations, then the processes of the Procfile, in this
 * order; stopped in the reverse one (architecture: intake and workers first, stores last).
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readEnv, readWorkerEnv, type Env } from '../shared/runtime/env.js';
import { StartFault } from '../shared/runtime/start-fault.js';
import { openDataDir, readAdminToken, type DataDir } from './data-dir.js';
import { startEmbedded, type EmbeddedServers } from './embedded-servers.js';
import { baseUrlOf, fleetEnv, wantsAnalyst } from './fleet-env.js';
import { freePort, portFault } from './free-port.js';
import type { LineListener, OutputChoice } from './process-output.js';
import { commandOf, parseProcfile } from './procfile.js';
import { defaultDataDir, projectRoot } from './project-root.js';
import { runCommand } from './run-command.js';
import { superviseUntilReady } from './supervise-until-ready.js';
import type { Supervisor } from './supervisor.js';

const ANALYST = 'node dist/src/offline-analyst/main.js';
const PROCESSES = ['api', 'diagnosis', 'guard'];
const MIGRATION_MS = 300_000;
const READY_MS = 90_000;
const ANALYST_READY_MS = 20_000;
const STOP_MARGIN_MS = 5000;
const ANALYST_STOP_MS = 5000;

/** What a caller may do between the start of the stores and that of the processes. */
export interface StoreAccess {
  databaseUrl: string;
  /** May make schemas and accounts; null on a database of the user's own. */
  adminDatabaseUrl: string | null;
  redisUrl: string;
  dataDir: string;
}

export interface FleetOptions {
  /** The environment to start from; this process's by default. */
  env?: NodeJS.ProcessEnv;
  /** Set for the fleet beside or over the environment. */
  extraEnv?: Readonly<Record<string, string>>;
  /** 0 takes a free one; `PORT` of the environment by default. */
  port?: number;
  /** Absolute; `SWORN_DATA_DIR` or `.sworn` in the project by default. */
  dataDir?: string;
  /** The folder with the Procfile; the project's by default. */
  root?: string;
  /** The processes' output: to `<data folder>/logs/<name>.log`, or to a listener; to the terminal by default. */
  quiet?: boolean | LineListener;
  /** Lines for the person who started this; not called for the processes' own output. */
  say?: (line: string) => void;
  /** Runs when the stores answer; what it gives is added to the fleet's environment. */
  beforeProcesses?: (stores: StoreAccess) => Promise<Readonly<Record<string, string>>>;
  /** Something that cannot be mended died; the caller should stop the fleet. */
  onLost?: (message: string) => void;
  /** Gives up a start in progress, and stops what was started. */
  signal?: AbortSignal;
}

export interface Fleet {
  /** Without a slash at its end. */
  baseUrl: string;
  /** Null when the stores are the user's own and no `ADMIN_TOKEN` is set. */
  adminToken: string | null;
  /** Null when the token came from the environment. */
  adminTokenFile: string | null;
  /** What the fleet's processes got. */
  env: NodeJS.ProcessEnv;
  databaseUrl: string;
  adminDatabaseUrl: string | null;
  /** Whether the offline analyst answers instead of a model. */
  offlineAnalyst: boolean;
  dataDir: string;
  /** Process IDs of api, diagnosis and guard as they run now. */
  pids(): Map<string, number>;
  /** In order, each part within its time; when `hurry` aborts, processes are killed. Never rejects. */
  stop(hurry?: AbortSignal): Promise<void>;
}

type Closer = (hurry?: AbortSignal) => Promise<void>;

/** Resolves when `/readyz` says so. @throws {EnvFault} @throws {StartFault} after stopping what was started. */
export async function startFleet(options: FleetOptions = {}): Promise<Fleet> {
  const closers: Closer[] = [];
  let stopping: Promise<void> | undefined;
  const stop: Closer = (hurry) => (stopping ??= closeAll(closers, hurry));
  try {
    return { ...(await open(options, closers)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The last opened first. */
async function closeAll(closers: Closer[], hurry?: AbortSignal): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close(hurry);
}

interface Opening {
  options: FleetOptions;
  closers: Closer[];
  root: string;
  base: NodeJS.ProcessEnv;
  parsed: Env;
  dir: DataDir;
  output: OutputChoice;
  say: (line: string) => void;
  signal: AbortSignal;
}

async function open(options: FleetOptions, closers: Closer[]): Promise<Omit<Fleet, 'stop'>> {
  const root = options.root ?? projectRoot();
  const base = { ...(options.env ?? process.env), ...options.extraEnv };
  const parsed = readEnv(base);
  const procfile = parseProcfile(await readFile(join(root, 'Procfile'), 'utf8'));
  const port = await choosePort(parsed.HOST, options.port ?? parsed.PORT);
  const dir = await openDataDir(options.dataDir ?? defaultDataDir(root, base));
  const opening: Opening = {
    options,
    closers,
    root,
    base,
    parsed,
    dir,
    output: outputChoice(options.quiet, dir),
    say: options.say ?? (() => undefined),
    signal: options.signal ?? new AbortController().signal,
  };
  const embedded = await openStores(opening);
  const access = storeAccess(parsed, embedded, dir);
  const extra = { ...options.extraEnv, ...(await options.beforeProcesses?.(access)) };
  const token = await chooseToken(opening, embedded);
  const offline = wantsAnalyst(
    parsed,
    embedded === null || parsed.REDIS_URL !== undefined || parsed.DATABASE_URL !== undefined,
  );
  const analystUrl = offline ? await openAnalyst(opening) : null;
  const stores = { redisUrl: embedded?.redisUrl ?? null, databaseUrl: embedded?.databaseUrl ?? null };
  const env = fleetEnv({ base, stores, port, adminToken: token.made, analystUrl, extra });
  readWorkerEnv(env);
  await migrate(opening, commandOf(procfile, 'release'), env);
  const baseUrl = baseUrlOf(parsed.HOST, port);
  const supervisor = await openProcesses(opening, procfile, env, `${baseUrl}/readyz`);
  return {
    baseUrl,
    adminToken: token.made ?? parsed.ADMIN_TOKEN ?? null,
    adminTokenFile: token.path,
    env,
    databaseUrl: access.databaseUrl,
    adminDatabaseUrl: access.adminDatabaseUrl,
    offlineAnalyst: offline,
    dataDir: dir.root,
    pids: () => supervisor.pids(),
  };
}

function outputChoice(quiet: FleetOptions['quiet'], dir: DataDir): OutputChoice {
  if (typeof quiet === 'function') return { kind: 'listener', listener: quiet };
  return quiet === true ? { kind: 'files', dir: dir.logs } : { kind: 'terminal' };
}

/** @throws {StartFault} when nothing can listen there; naming the variable. */
async function choosePort(host: string, port: number): Promise<number> {
  const fault = await portFault(host, port);
  if (fault === 'EADDRINUSE') {
    throw new StartFault(
      `PORT=${port} is in use on ${host}: stop what listens there, or set PORT to another one (0 takes a free one).`,
    );
  }
  if (fault === 'EACCES')
    throw new StartFault(`PORT=${port} needs rights that this user lacks: set PORT above 1023.`);
  if (fault !== null)
    throw new StartFault(`HOST=${host} cannot be listened on (${fault}): set HOST to 127.0.0.1.`);
  return port === 0 ? freePort(host) : port;
}

/** The store that the environment names is used; each other one is embedded. Null when none is. */
async function openStores({
  parsed,
  options,
  dir,
  say,
  closers,
  signal,
}: Opening): Promise<EmbeddedServers | null> {
  const wanted = { redis: parsed.REDIS_URL === undefined, mariadb: parsed.DATABASE_URL === undefined };
  if (!wanted.redis && !wanted.mariadb) return null;
  const embedded = await startEmbedded({
    ...wanted,
    dataDir: dir.root,
    log: say,
    signal,
    ...(options.onLost === undefined ? {} : { onLost: options.onLost }),
  });
  closers.push(() => embedded.stop());
  return embedded;
}

function storeAccess(parsed: Env, embedded: EmbeddedServers | null, dir: DataDir): StoreAccess {
  const databaseUrl = parsed.DATABASE_URL ?? embedded?.databaseUrl;
  const redisUrl = parsed.REDIS_URL ?? embedded?.redisUrl;
  if (databaseUrl == null || redisUrl == null) throw new StartFault('The embedded servers gave no address.');
  return { databaseUrl, redisUrl, adminDatabaseUrl: embedded?.adminUrl ?? null, dataDir: dir.root };
}

/** A token of our own is made only beside embedded stores, where nobody else can have made one. */
async function chooseToken(
  { parsed, dir }: Opening,
  embedded: EmbeddedServers | null,
): Promise<{ made: string | null; path: string | null }> {
  if (parsed.ADMIN_TOKEN !== undefined || embedded === null) return { made: null, path: null };
  const { token, path } = await readAdminToken(dir);
  return { made: token, path };
}

async function openAnalyst({ root, base, output, say, signal, closers }: Opening): Promise<string> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const supervisor = await superviseUntilReady(
    {
      commands: [{ name: 'analyst', command: ANALYST }],
      cwd: root,
      env: { ...base, OFFLINE_ANALYST_PORT: String(port) },
      output,
      say,
    },
    { url: `${url}/v1/models`, timeoutMs: ANALYST_READY_MS, signal },
  );
  closers.push((hurry) => supervisor.stop(ANALYST_STOP_MS, hurry));
  return url;
}

async function migrate({ root, signal }: Opening, command: string, env: NodeJS.ProcessEnv): Promise<void> {
  await runCommand({
    command,
    what: 'The migration of the database',
    cwd: root,
    env,
    timeoutMs: MIGRATION_MS,
    signal,
  });
}

async function openProcesses(
  { root, output, say, signal, closers, parsed }: Opening,
  procfile: ReadonlyMap<string, string>,
  env: NodeJS.ProcessEnv,
  url: string,
): Promise<Supervisor> {
  const commands = PROCESSES.map((name) => ({ name, command: commandOf(procfile, name) }));
  const supervisor = await superviseUntilReady(
    { commands, cwd: root, env, output, say },
    { url, timeoutMs: READY_MS, signal },
  );
  closers.push((hurry) => supervisor.stop(parsed.SHUTDOWN_TIMEOUT_MS + STOP_MARGIN_MS, hurry));
  return supervisor;
}
