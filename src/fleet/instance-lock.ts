/**
 * One keeper per data folder. The lock is a file that names its owner; it is valid only while a process with that ID
 * lives and its command line names this folder, so that one left behind by a crash never blocks the next start.
 */
import { link, rename, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { StartFault } from '../shared/runtime/start-fault.js';
import { readJson, writePrivately, type DataDir } from './data-dir.js';
import { isOurs } from './process-identity.js';

const STOP_WAIT_MS = 60_000;
const POLL_MS = 100;
const ATTEMPTS = 20;

const Owner = z.object({ pid: z.number().int().positive(), stopping: z.boolean() });
type Owner = z.infer<typeof Owner>;

export interface InstanceLock {
  /** Tells a keeper that comes next to wait a little instead of giving up. */
  markStopping(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Takes the folder for this process, waiting for a keeper that is on its way out.
 * @throws {StartFault} when another one holds it.
 */
export async function takeLock(dir: DataDir, say: (line: string) => void): Promise<InstanceLock> {
  const deadline = performance.now() + STOP_WAIT_MS;
  let waiting = false;
  for (let attempt = 0; attempt < ATTEMPTS;) {
    if (await tryTake(dir)) return held(dir);
    const owner = await readJson(dir.lockFile, Owner);
    if (owner === null || !(await isOurs(owner.pid, dir.root))) {
      attempt += 1;
      await dropStale(dir, owner);
      continue;
    }
    if (!owner.stopping || performance.now() > deadline) throw inUse(dir, owner.pid);
    if (!waiting) say(`waiting for the servers of the previous start (process ${owner.pid}) to stop`);
    waiting = true;
    await delay(POLL_MS);
  }
  throw new StartFault(`${dir.lockFile} cannot be taken: remove it when no other sworn runs on this folder`);
}

/** Whether a keeper holds the folder now. */
export async function isHeld(dir: DataDir): Promise<boolean> {
  const owner = await readJson(dir.lockFile, Owner);
  return owner !== null && (await isOurs(owner.pid, dir.root));
}

function inUse(dir: DataDir, pid: number): StartFault {
  return new StartFault(
    `Another sworn (process ${pid}) runs on ${dir.root}: stop it first, or give this one a folder of its own with SWORN_DATA_DIR`,
  );
}

/** A hard link appears whole or not at all, and only if there was none. */
async function tryTake(dir: DataDir): Promise<boolean> {
  const mine = `${dir.lockFile}.${process.pid}`;
  await writePrivately(mine, JSON.stringify({ pid: process.pid, stopping: false } satisfies Owner));
  try {
    await link(mine, dir.lockFile);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(mine, { force: true });
  }
}

/** Moves the stale lock aside; if another process was quicker and it is that one's by now, it is put back. */
async function dropStale(dir: DataDir, judged: Owner | null): Promise<void> {
  const aside = `${dir.lockFile}.${process.pid}.stale`;
  try {
    await rename(dir.lockFile, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const moved = await readJson(aside, Owner);
  if (moved !== null && moved.pid !== judged?.pid) await link(aside, dir.lockFile).catch(() => undefined);
  await rm(aside, { force: true });
}

function held(dir: DataDir): InstanceLock {
  return {
    markStopping: () =>
      writePrivately(dir.lockFile, JSON.stringify({ pid: process.pid, stopping: true } satisfies Owner)),
    release: async () => {
      const owner = await readJson(dir.lockFile, Owner);
      if (owner?.pid === process.pid) await rm(dir.lockFile, { force: true });
    },
  };
}
