/** Makes the data folder of the embedded MariaDB (or MySQL) at first use. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartFault } from '../shared/runtime/start-fault.js';
import { LineTail } from './bounded-log.js';
import { writePrivately, type DataDir } from './data-dir.js';
import type { SqlPrograms } from './find-programs.js';
import { optionFile } from './mariadb-config.js';
import { sendSignal } from './process-identity.js';
import type { Durability } from './server-spec.js';

const INSTALL_MS = 120_000;

/**
 * The folder is made aside and moved into place when whole, so that an attempt that was cut short leaves nothing that
 * looks like data.
 * @returns whether it was made now. @throws {StartFault} with the program's last words.
 */
export async function installDataFolder(
  dir: DataDir,
  programs: SqlPrograms,
  durability: Durability,
  signal: AbortSignal,
): Promise<boolean> {
  const dataDir = join(dir.mariadb, 'data');
  if (existsSync(dataDir)) return false;
  const draft = `${dataDir}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true, mode: 0o700 });
  await mkdir(join(dir.mariadb, 'files'), { recursive: true, mode: 0o700 });
  const plain = await plainPath(dir.mariadb);
  try {
    await install(plain.path, programs, durability, signal);
  } finally {
    await plain.dispose();
  }
  await rename(draft, dataDir);
  return true;
}

/** `folder` is the one that the draft lies in, by a name that the installer copes with. */
async function install(
  folder: string,
  programs: SqlPrograms,
  durability: Durability,
  signal: AbortSignal,
): Promise<void> {
  const asRoot = process.getuid?.() === 0;
  const draft = join(folder, 'data.new');
  const config = join(folder, 'install.cnf');
  const options = optionFile({
    dataDir: draft,
    socket: join(draft, 'm.sock'),
    pidFile: join(draft, 'install.pid'),
    initFile: '',
    filesDir: join(folder, 'files'),
    port: null,
    asRoot,
    durability,
    flavour: programs.flavour,
  });
  await writePrivately(config, options);
  const [program, args] =
    programs.install === null
      ? [programs.server, ['--initialize-insecure']]
      : [
          programs.install,
          ['--auth-root-authentication-method=normal', '--skip-test-db', ...(asRoot ? ['--user=root'] : [])],
        ];
  await runInstaller(program, [`--defaults-file=${config}`, ...args], signal);
}

/** MariaDB's installer is a script that breaks paths at blanks and more: such a folder gets another name by a link. */
async function plainPath(folder: string): Promise<{ path: string; dispose: () => Promise<void> }> {
  if (/^[\w./-]+$/.test(folder)) return { path: folder, dispose: () => Promise.resolve() };
  const parent = await mkdtemp(join(tmpdir(), 'sworn-install-'));
  const path = join(parent, 'mariadb');
  await symlink(folder, path);
  return { path, dispose: () => rm(parent, { recursive: true, force: true }) };
}

/** In a process group of its own: the installer is a script, and what it started must end with it. */
async function runInstaller(program: string, args: string[], signal: AbortSignal): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true, cwd: '/' });
  const tail = new LineTail(15);
  child.stdout.on('data', (chunk: Buffer) => {
    tail.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    tail.push(chunk);
  });
  const end = (): void => {
    if (child.pid !== undefined) sendSignal(-child.pid, 'SIGKILL');
  };
  const late = setTimeout(end, INSTALL_MS);
  signal.addEventListener('abort', end);
  try {
    const code = await new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (exitCode, killedBy) => {
        resolve(exitCode ?? killedBy);
      });
    });
    signal.throwIfAborted();
    if (code !== 0)
      throw new StartFault(`${program} could not make a data folder (${code}):\n${tail.toString()}`);
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', end);
  }
}
