/** Finds the programs of the embedded servers on this machine, and refuses those that are too old. */
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { StartFault } from '../shared/runtime/start-fault.js';

const run = promisify(execFile);
const MIN_REDIS = [7, 0] as const;
const MIN_MARIADB = [10, 11] as const;
const MIN_MYSQL = [8, 0] as const;

/** Where servers lie that a user's PATH does not name. `SWORN_SERVER_DIRS` (same form as PATH) replaces them. */
const FURTHER_DIRS = [
  '/usr/sbin',
  '/usr/local/sbin',
  '/usr/local/bin',
  '/usr/libexec',
  '/opt/homebrew/bin',
  '/opt/homebrew/sbin',
  ...['redis', 'valkey', 'mariadb', 'mysql'].flatMap((keg) => [
    `/opt/homebrew/opt/${keg}/bin`,
    `/usr/local/opt/${keg}/bin`,
  ]),
];

const WAY_OUT =
  'npm start finds or installs it; or give REDIS_URL and DATABASE_URL of servers that run elsewhere (docker compose -f deploy/compose.yaml up -d)';

export type SqlFlavour = 'mariadb' | 'mysql';

export interface SqlPrograms {
  server: string;
  flavour: SqlFlavour;
  /** MariaDB's own program that makes a data folder; MySQL's server does it itself. */
  install: string | null;
}

/** @throws {StartFault} when there is none that is new enough. */
export async function findRedis(): Promise<string> {
  for (const name of ['redis-server', 'valkey-server']) {
    for (const path of await every(name)) {
      if (atLeast(await versionOf(path), MIN_REDIS)) return path;
    }
  }
  throw new StartFault(`No redis-server ≥ 7 and no valkey-server was found: ${WAY_OUT}`);
}

/** @throws {StartFault} when there is none that is new enough. */
export async function findSqlServer(): Promise<SqlPrograms> {
  for (const name of ['mariadbd', 'mysqld']) {
    for (const server of await every(name)) {
      const version = await versionOf(server);
      const flavour: SqlFlavour = /mariadb/i.test(version) ? 'mariadb' : 'mysql';
      if (!atLeast(version, flavour === 'mariadb' ? MIN_MARIADB : MIN_MYSQL)) continue;
      if (flavour === 'mysql') return { server, flavour, install: null };
      const [install] = [...(await every('mariadb-install-db')), ...(await every('mysql_install_db'))];
      if (install !== undefined) return { server, flavour, install };
    }
  }
  throw new StartFault(
    `No mariadbd ≥ 10.11 (with mariadb-install-db) and no mysqld ≥ 8 was found: ${WAY_OUT}`,
  );
}

async function every(name: string): Promise<string[]> {
  const further = process.env['SWORN_SERVER_DIRS']?.split(delimiter) ?? FURTHER_DIRS;
  const dirs = [...(process.env['PATH'] ?? '').split(delimiter), ...further].filter((dir) => dir !== '');
  const found: string[] = [];
  for (const dir of new Set(dirs)) {
    const path = join(dir, name);
    if (await isExecutable(path)) found.push(path);
  }
  return found;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** What `--version` prints; a program that cannot run has none. */
async function versionOf(program: string): Promise<string> {
  try {
    return (await run(program, ['--version'], { timeout: 10_000 })).stdout;
  } catch {
    return '';
  }
}

/** The first number of the form `1.2` counts: `v=7.0.15`, `Ver 10.11.6-MariaDB`, `Ver 8.0.36`. */
function atLeast(text: string, [major, minor]: readonly [number, number]): boolean {
  const match = /(\d+)\.(\d+)/.exec(text);
  if (match === null) return false;
  const [found, beneath] = [Number(match[1]), Number(match[2])];
  return found > major || (found === major && beneath >= minor);
}
