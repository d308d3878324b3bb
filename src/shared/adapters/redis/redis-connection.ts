/** Connections to Redis, and its faults in the port's words. */
import { Redis, type RedisOptions } from 'ioredis';
import { StoreUnavailable } from '../../ports/errors.js';
import type { Logger } from '../../ports/logger.js';
import { StartFault } from '../../runtime/start-fault.js';

const CONNECT_TIMEOUT_MS = 5000;
const MAX_BACKOFF_MS = 2000;
/** A peer that is gone without a word is noticed within half a minute, by a connection that only waits too. */
const KEEP_ALIVE_MS = 10_000;

/**
 * `producer`: bounded, for request handlers: a Redis that is away rejects at once. `worker`: waits for Redis to come
 * back. `subscriber`: no ready check, since a subscription between connect and ready collides with it.
 */
export type ConnectionKind = 'producer' | 'worker' | 'subscriber';

const KINDS: Readonly<Record<ConnectionKind, RedisOptions>> = {
  producer: { enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 5000 },
  worker: { maxRetriesPerRequest: null },
  subscriber: { maxRetriesPerRequest: null, enableReadyCheck: false, autoResubscribe: false },
};

/** @throws {StoreUnavailable} when the first connection fails. */
export async function connectRedis(url: string, kind: ConnectionKind, log: Logger): Promise<Redis> {
  const client = new Redis(url, {
    ...KINDS[kind],
    lazyConnect: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    keepAlive: KEEP_ALIVE_MS,
    retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 6), MAX_BACKOFF_MS),
  });
  client.on('error', (error: Error) => {
    log.warn({ kind, err: error }, 'redis connection');
  });
  try {
    await client.connect();
  } catch (error) {
    client.disconnect();
    throw new StoreUnavailable('Redis', { cause: error });
  }
  return client;
}

/** Ends a connection in order; one that cannot be ended in time is cut. Never rejects. */
export async function closeRedis(client: Redis): Promise<void> {
  if (client.status === 'ready') {
    await Promise.race([
      client.quit().catch(() => undefined),
      new Promise((resolve) => setTimeout(resolve, 1000).unref()),
    ]);
  }
  client.disconnect();
}

/**
 * Refuses a server that would lose work: older than 7, or one that evicts keys (locks and jobs are keys).
 * @throws {StartFault}
 */
export async function checkRedis(client: Redis): Promise<void> {
  const info = await guarded(client.info());
  const field = (name: string): string | undefined => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1];
  const version = field('redis_version') ?? '';
  if (field('valkey_version') === undefined && !(Number.parseInt(version, 10) >= 7))
    throw new StartFault(
      `REDIS_URL leads to Redis ${version || 'of an unknown version'}: sworn needs Redis ≥ 7 or Valkey`,
    );
  const policy = field('maxmemory_policy') ?? 'noeviction';
  if (policy !== 'noeviction')
    throw new StartFault(
      `REDIS_URL leads to a Redis with maxmemory-policy ${policy}, which would drop jobs and locks: set it to noeviction`,
    );
}

/** Awaits a command; a connection fault becomes {@link StoreUnavailable}, a script or type error stays what it is. */
export async function guarded<T>(command: Promise<T>): Promise<T> {
  try {
    return await command;
  } catch (error) {
    if (error instanceof Error && error.name === 'ReplyError' && !isOutage(error)) throw error;
    throw new StoreUnavailable('Redis', { cause: error });
  }
}

/** Error replies of a server that is there and cannot serve: full, read-only, failing to persist, busy, not this client's. */
const OUTAGES: ReadonlySet<string> = new Set([
  'LOADING',
  'READONLY',
  'MASTERDOWN',
  'CLUSTERDOWN',
  'TRYAGAIN',
  'OOM',
  'MISCONF',
  'NOREPLICAS',
  'BUSY',
  'EXECABORT',
  'NOAUTH',
  'WRONGPASS',
]);

/** The code of an error reply is its first word (Redis protocol). */
function isOutage(error: Error): boolean {
  return OUTAGES.has(error.message.split(' ', 1)[0] ?? '');
}
