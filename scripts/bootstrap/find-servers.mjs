/** Looks for Redis and MariaDB on this machine. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { runQuietly } from './run.mjs';

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

/**
 * @typedef {'redis' | 'mariadb'} ServerName
 * @param {NodeJS.ProcessEnv} env
 * @param {readonly ServerName[]} wanted
 * @returns {Promise<{missing: ServerName[], notes: string[]}>} `notes` name what was found and does not do
 */
export async function findServers(env, wanted) {
  const looks = { redis: findRedis, mariadb: findSql };
  const results = await Promise.all(wanted.map(async (name) => ({ name, ...(await looks[name](env)) })));
  return {
    missing: results.filter(({ found }) => !found).map(({ name }) => name),
    notes: results.flatMap(({ found, notes }) => (found ? [] : notes)),
  };
}

async function findRedis(env) {
  const notes = [];
  for (const path of [...every(env, 'redis-server'), ...every(env, 'valkey-server')]) {
    const version = versionIn(await versionText(path, env));
    if (version !== null && atLeast(version, [7, 0])) return { found: true, notes };
    notes.push(`${path} is ${describe(version)}; Redis ≥ 7 or Valkey is needed`);
  }
  return { found: false, notes };
}

async function findSql(env) {
  const notes = [];
  for (const path of [...every(env, 'mariadbd'), ...every(env, 'mysqld')]) {
    const text = await versionText(path, env);
    const version = versionIn(text);
    const mariadb = /mariadb/i.test(text);
    if (version === null || !atLeast(version, mariadb ? [10, 11] : [8, 0])) {
      notes.push(`${path} is ${describe(version)}; MariaDB ≥ 10.11 or MySQL ≥ 8 is needed`);
    } else if (mariadb && !canMakeData(env)) {
      notes.push(`${path} has no mariadb-install-db or my_print_defaults beside it`);
    } else {
      return { found: true, notes };
    }
  }
  return { found: false, notes };
}

/** MariaDB's data folder is made by a script of its own, which reads the options with another program. */
function canMakeData(env) {
  const has = (name) => every(env, name).length > 0;
  return (has('mariadb-install-db') || has('mysql_install_db')) && has('my_print_defaults');
}

function every(env, name) {
  const further = env.SWORN_SERVER_DIRS?.split(delimiter) ?? FURTHER_DIRS;
  const dirs = new Set([...(env.PATH ?? '').split(delimiter), ...further].filter((dir) => dir !== ''));
  return [...dirs].map((dir) => join(dir, name)).filter(isExecutable);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function versionText(path, env) {
  const { ok, output } = await runQuietly(path, ['--version'], { env, timeoutMs: 10_000 });
  return ok ? output : '';
}

function versionIn(text) {
  const match = /(\d+)\.(\d+)/.exec(text);
  return match === null ? null : [Number(match[1]), Number(match[2])];
}

function describe(version) {
  return version === null ? 'a program that does not run' : version.join('.');
}

function atLeast([major, minor], [wantMajor, wantMinor]) {
  return major > wantMajor || (major === wantMajor && minor >= wantMinor);
}
