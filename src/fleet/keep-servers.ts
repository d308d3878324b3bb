/**
 * The keeper's work: owns a data folder and the servers in it for as long as its life line holds, then stops them in
 * order: Redis, which still writes its append-only file, then MariaDB.
 */
import { rm } from 'node:fs/promises';
import { StartFault } from '../shared/runtime/start-fault.js';
import { openDataDir, readSecrets, type DataDir, type Secrets } from './data-dir.js';
import { findRedis, findSqlServer } from './find-programs.js';
import { installDataFolder } from './install-data-folder.js';
import { takeLock, type InstanceLock } from './instance-lock.js';
import type { KeeperOrder, KeeperWord } from './keeper-protocol.js';
import { ADMIN, DATABASE, OWNER } from './mariadb-config.js';
import { mariadbSpec } from './mariadb-spec.js';
import { redisSpec } from './redis-spec.js';
import { startServer, type WatchedServer } from './watched-server.js';

export interface KeeperLife {
  /** Aborts when the supervisor is gone or asks for the end. */
  readonly signal: AbortSignal;
  tell(word: KeeperWord): void;
}

/** What is going on in one keeper: the stop signal that covers both ways of ending, and what must be closed then. */
interface Keeping {
  dir: DataDir;
  order: KeeperOrder;
  secrets: Secrets;
  stop: AbortSignal;
  say: (line: string) => void;
  lost: (message: string) => void;
  /** Closed in this order. */
  closers: (() => Promise<void>)[];
}

/** @returns the exit code, when all that was started has been stopped. Never rejects. */
export async function keepServers(root: string, order: KeeperOrder, life: KeeperLife): Promise<number> {
  const closers: Keeping['closers'] = [];
  const given = { fault: null as string | null };
  const giveUp = new AbortController();
  const stop = AbortSignal.any([life.signal, giveUp.signal]);
  const say = (line: string): void => {
    life.tell({ word: 'say', line });
  };
  const lost = (message: string): void => {
    given.fault ??= message;
    giveUp.abort();
  };
  let lock: InstanceLock | undefined;
  try {
    const dir = await openDataDir(root);
    lock = await takeLock(dir, say);
    const keeping = { dir, order, secrets: await readSecrets(dir), stop, say, lost, closers };
    life.tell(await openServers(keeping));
    await aborted(stop);
  } catch (error) {
    if (!stop.aborted) given.fault = describe(error);
  }
  if (given.fault !== null) life.tell({ word: 'failed', message: given.fault });
  await lock?.markStopping().catch(() => undefined);
  for (const close of closers) await close().catch(() => undefined);
  if (order.throwAway && lock !== undefined)
    await rm(root, { recursive: true, force: true }).catch(() => undefined);
  await lock?.release().catch(() => undefined);
  return given.fault === null ? 0 : 1;
}

/** Both at once; when one fails, the other is left in `closers` and its fault is thrown. */
async function openServers(keeping: Keeping): Promise<KeeperWord> {
  const [redis, mariadb] = await Promise.allSettled([openRedis(keeping), openMariadb(keeping)]);
  for (const opened of [redis, mariadb]) {
    if (opened.status === 'fulfilled' && opened.value !== null) keeping.closers.push(opened.value.close);
  }
  if (redis.status === 'rejected') throw redis.reason;
  if (mariadb.status === 'rejected') throw mariadb.reason;
  return {
    word: 'ready',
    redisUrl: redis.value?.url ?? null,
    databaseUrl: mariadb.value?.url ?? null,
    adminUrl: mariadb.value?.adminUrl ?? null,
  };
}

async function openRedis(keeping: Keeping): Promise<{ url: string; close: () => Promise<void> } | null> {
  const { dir, order, secrets, stop, say, lost } = keeping;
  if (!order.redis) return null;
  const spec = redisSpec(dir, await findRedis(), secrets.redis, durabilityOf(order));
  const server = await startServer(spec, { say, lost }, stop);
  return { url: `redis://:${secrets.redis}@127.0.0.1:${server.port}/0`, close: () => server.stop() };
}

async function openMariadb(
  keeping: Keeping,
): Promise<{ url: string; adminUrl: string; close: () => Promise<void> } | null> {
  const { dir, order, secrets, stop, say, lost } = keeping;
  if (!order.mariadb) return null;
  const programs = await findSqlServer();
  const made = await installDataFolder(dir, programs, durabilityOf(order), stop);
  if (made && !order.throwAway) say(`made an empty database in ${dir.mariadb}`);
  const spec = await mariadbSpec(dir, programs, secrets, durabilityOf(order));
  let server: WatchedServer;
  try {
    server = await startServer(spec, { say, lost }, stop);
  } catch (error) {
    await spec.dispose();
    throw error;
  }
  const at = `127.0.0.1:${server.port}`;
  return {
    url: `mysql://${OWNER}:${secrets.owner}@${at}/${DATABASE}`,
    adminUrl: `mysql://${ADMIN}:${secrets.admin}@${at}/mysql`,
    close: async () => {
      await server.stop();
      await spec.dispose();
    },
  };
}

function durabilityOf(order: KeeperOrder): 'kept' | 'throw-away' {
  return order.throwAway ? 'throw-away' : 'kept';
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else
      signal.addEventListener(
        'abort',
        () => {
          resolve();
        },
        { once: true },
      );
  });
}

function describe(error: unknown): string {
  if (error instanceof StartFault) return error.message;
  if (!(error instanceof Error)) return String(error);
  const { code } = error as NodeJS.ErrnoException;
  return `The embedded servers could not be started: ${code === undefined ? '' : `${code}: `}${error.message}`;
}
