/**
 * Throw-away servers: an own folder under the system's temporary one, removed at the end. What a killed run left behind
 * is cleared by the next: its keeper stops the servers by itself, and a keeper that was killed too is recognised by its
 * folder's lock, which no living process holds.
 */
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDataDir, type DataDir } from './data-dir.js';
import { isHeld } from './instance-lock.js';
import { endStranded } from './process-identity.js';

const PREFIX = 'sworn-throw-away-';
/** A folder younger than this may belong to a keeper that has not taken its lock yet. */
const SETTLED_MS = 60_000;
const STOP_MS = 5000;

/** Makes the folder for one run, after clearing those that nobody owns any more. */
export async function openThrowAwayDir(): Promise<string> {
  await clearLeftovers(tmpdir());
  return mkdtemp(join(tmpdir(), PREFIX));
}

async function clearLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(PREFIX)) continue;
    const root = join(parent, name);
    try {
      if (Date.now() - (await stat(root)).mtimeMs < SETTLED_MS) continue;
      const dir = await openDataDir(root);
      if (await isHeld(dir)) continue;
      await endServers(dir);
      await rm(root, { recursive: true, force: true });
    } catch {
      // another run clears it at the same moment, or it is another user's
    }
  }
}

async function endServers(dir: DataDir): Promise<void> {
  for (const [pidFile, mark] of [
    [join(dir.redis, 'redis.pid'), dir.redis],
    [join(dir.mariadb, 'server.pid'), dir.mariadb],
  ] as const) {
    const pid = Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10);
    if (pid > 0) await endStranded(pid, mark, STOP_MS);
  }
}
