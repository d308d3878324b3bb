/**
 * One set-up at a time per clone: two terminals must not install or build over each other. The lock is a file with the
 * owner's process ID; one whose owner is gone is taken over.
 */
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from './fault.mjs';
import { runQuietly, say } from './run.mjs';

const POLL_MS = 150;
const WAIT_MS = 15 * 60_000;
/** Stands in the command line of whoever may hold the lock. */
const MARK = 'bootstrap.mjs';

/**
 * @template T
 * @param {string} root the project's folder
 * @param {() => Promise<T>} work runs while the lock is held
 * @param {string} [mark] what the owner's command line contains
 * @returns {Promise<T>}
 */
export async function withSetupLock(root, work, mark = MARK) {
  const folder = join(root, '.sworn');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lock = join(folder, 'setup.lock');
  await take(lock, mark);
  try {
    return await work();
  } finally {
    if (ownerOf(lock) === process.pid) rmSync(lock, { force: true });
  }
}

async function take(lock, mark) {
  const deadline = performance.now() + WAIT_MS;
  for (let said = false; !tryTake(lock);) {
    const owner = ownerOf(lock);
    if (owner === null || !(await lives(owner, mark))) {
      dropStale(lock, owner);
      continue;
    }
    if (performance.now() > deadline)
      throw new Fault(`Process ${owner} has been setting up for too long; ${lock} is its lock.`);
    if (!said) say(`Waiting for another set-up (process ${owner}) to finish.`);
    said = true;
    await delay(POLL_MS);
  }
}

/** A hard link appears whole or not at all, and only when there was none. */
function tryTake(lock) {
  const mine = `${lock}.${process.pid}`;
  writeFileSync(mine, `${process.pid}\n`, { mode: 0o600 });
  try {
    linkSync(mine, lock);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(mine, { force: true });
  }
}

function ownerOf(lock) {
  try {
    const pid = Number.parseInt(readFileSync(lock, 'utf8'), 10);
    return pid > 0 ? pid : null;
  } catch {
    return null;
  }
}

/** If another process was quicker and the lock is that one's by now, it is put back. */
function dropStale(lock, judged) {
  const aside = `${lock}.${process.pid}.stale`;
  try {
    renameSync(lock, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  const moved = ownerOf(aside);
  try {
    if (moved !== null && moved !== judged) linkSync(aside, lock);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

async function lives(pid, mark) {
  if (process.platform === 'linux') {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark);
    } catch {
      return false;
    }
  }
  const { output } = await runQuietly('ps', ['-ww', '-o', 'command=', '-p', String(pid)]);
  return output.includes(mark);
}
