/**
 * The process's one subscriber connection, with reference-counted channels. A listener is told `onReset` each time the
 * connection was lost and its channel is subscribed again: what was sent meanwhile is gone.
 */
import type { Redis } from 'ioredis';
import { StoreUnavailable } from '../../ports/errors.js';
import type { Subscription } from '../../ports/event-log.js';
import type { Logger } from '../../ports/logger.js';
import { closeRedis, guarded } from './redis-connection.js';

/** Longer than a reconnection to a server that is there. */
const ACKNOWLEDGE_MS = 5000;

interface Listener {
  onMessage: (message: string) => void;
  onReset: () => void;
}

interface Channel {
  listeners: Set<Listener>;
  acknowledged: Promise<unknown>;
}

export interface Subscriber {
  /** Resolves once Redis has acknowledged the channel; rejects with `StoreUnavailable` when that takes too long. */
  listen(channel: string, listener: Listener): Promise<Subscription>;
  close(): Promise<void>;
}

export function createSubscriber(
  redis: Redis,
  log: Logger,
  acknowledgeMs: number = ACKNOWLEDGE_MS,
): Subscriber {
  const channels = new Map<string, Channel>();
  redis.on('message', (name: string, message: string) => {
    for (const listener of [...(channels.get(name)?.listeners ?? [])])
      call(log, () => {
        listener.onMessage(message);
      });
  });
  redis.on('ready', () => {
    resubscribe(redis, channels, log).catch((error: unknown) => {
      log.warn({ err: error }, 'resubscription failed');
    });
  });
  return {
    listen: async (name, listener) => {
      const channel = channels.get(name) ?? open(redis, channels, name);
      channel.listeners.add(listener);
      const close = (): Promise<void> => drop(redis, channels, name, channel, listener);
      try {
        await acknowledgement(channel, acknowledgeMs);
      } catch (error) {
        await close();
        throw error;
      }
      return { close };
    },
    close: async () => {
      channels.clear();
      redis.removeAllListeners('message');
      await closeRedis(redis);
    },
  };
}

function open(redis: Redis, channels: Map<string, Channel>, name: string): Channel {
  const acknowledged = redis.subscribe(name);
  acknowledged.catch(() => undefined);
  const channel: Channel = { listeners: new Set(), acknowledged };
  channels.set(name, channel);
  return channel;
}

/** The connection itself waits for Redis without end; whoever wants to listen does not. */
async function acknowledgement(channel: Channel, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new StoreUnavailable('Redis'));
    }, limitMs);
  });
  try {
    await Promise.race([guarded(channel.acknowledged), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function drop(
  redis: Redis,
  channels: Map<string, Channel>,
  name: string,
  channel: Channel,
  listener: Listener,
): Promise<void> {
  channel.listeners.delete(listener);
  if (channel.listeners.size > 0 || channels.get(name) !== channel) return;
  channels.delete(name);
  if (redis.status === 'end') return;
  const gone = redis.unsubscribe(name).catch(() => undefined);
  // While Redis is away it stands in line behind the subscription that it undoes; nobody waits for it.
  if (redis.status === 'ready') await gone;
}

async function resubscribe(redis: Redis, channels: Map<string, Channel>, log: Logger): Promise<void> {
  const names = [...channels.keys()];
  if (names.length === 0) return;
  await redis.subscribe(...names);
  for (const name of names) {
    for (const listener of [...(channels.get(name)?.listeners ?? [])]) call(log, listener.onReset);
  }
}

/** A listener's fault is its own: the others still hear the message. */
function call(log: Logger, listener: () => void): void {
  try {
    listener();
  } catch (error) {
    log.error({ err: error }, 'a listener failed');
  }
}
