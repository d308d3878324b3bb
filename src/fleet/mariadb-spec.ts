/** The embedded MariaDB (or MySQL): loopback, random passwords, UTC, utf8mb4, READ COMMITTED (contract §6). */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { StartFault } from '../shared/runtime/start-fault.js';
import { writePrivately, type DataDir, type Secrets } from './data-dir.js';
import type { SqlFlavour, SqlPrograms } from './find-programs.js';
import { DATABASE, initStatements, optionFile, OWNER, type OptionValues } from './mariadb-config.js';
import type { Durability, ServerSpec } from './server-spec.js';

/** `sun_path` holds 108 bytes on Linux and 104 on macOS, the closing zero included. */
const SOCKET_PATH_BYTES = 100;
const PROBE_MS = 2000;

export interface MariadbSpec extends ServerSpec {
  /** Removes the socket's folder, where it had to lie outside of the data folder. */
  dispose(): Promise<void>;
}

export async function mariadbSpec(
  dir: DataDir,
  programs: SqlPrograms,
  secrets: Secrets,
  durability: Durability,
): Promise<MariadbSpec> {
  const config = join(dir.mariadb, 'my.cnf');
  const short = await shortSocket(dir);
  const values: Omit<OptionValues, 'port'> = {
    dataDir: join(dir.mariadb, 'data'),
    socket: short.path,
    pidFile: join(dir.mariadb, 'server.pid'),
    initFile: join(dir.mariadb, 'init.sql'),
    filesDir: join(dir.mariadb, 'files'),
    asRoot: process.getuid?.() === 0,
    durability,
    flavour: programs.flavour,
  };
  return {
    name: 'mariadb',
    program: programs.server,
    pidFile: values.pidFile,
    logFile: join(dir.logs, 'mariadb.log'),
    mark: config,
    stopMs: 30_000,
    stopSignal: durability === 'kept' ? 'SIGTERM' : 'SIGKILL',
    startMs: 120_000,
    prepare: async (port) => {
      await mkdir(values.filesDir, { recursive: true, mode: 0o700 });
      await checkFlavour(dir, values.dataDir, programs.flavour);
      await writePrivately(values.initFile, initStatements(programs.flavour, secrets));
      await writePrivately(config, optionFile({ ...values, port }));
    },
    arguments: () => [`--defaults-file=${config}`],
    answers: (port) => selectOne(port, secrets.owner),
    dispose: async () => {
      if (short.folder !== null) await rm(short.folder, { recursive: true, force: true });
    },
  };
}

async function shortSocket(dir: DataDir): Promise<{ path: string; folder: string | null }> {
  const path = join(dir.mariadb, 'm.sock');
  if (Buffer.byteLength(path) <= SOCKET_PATH_BYTES) return { path, folder: null };
  const folder = await mkdtemp(join(tmpdir(), 'sworn-sock-'));
  return { path: join(folder, 'm.sock'), folder };
}

/** Data of the one server is not readable to the other. */
async function checkFlavour(dir: DataDir, dataDir: string, flavour: SqlFlavour): Promise<void> {
  const note = join(dir.mariadb, 'flavour');
  const kept = (await readFile(note, 'utf8').catch(() => '')).trim();
  if (kept !== '' && kept !== flavour && existsSync(dataDir)) {
    throw new StartFault(
      `${dataDir} was made by ${kept}, and the server found is ${flavour}: install ${kept} again, or remove ${dir.mariadb} to begin with empty data`,
    );
  }
  await writePrivately(note, `${flavour}\n`);
}

async function selectOne(port: number, password: string): Promise<boolean> {
  try {
    const connection = await createConnection({
      host: '127.0.0.1',
      port,
      user: OWNER,
      password,
      database: DATABASE,
      connectTimeout: PROBE_MS,
    });
    try {
      await connection.query({ sql: 'SELECT 1', timeout: PROBE_MS });
      return true;
    } finally {
      connection.destroy();
    }
  } catch {
    return false;
  }
}
