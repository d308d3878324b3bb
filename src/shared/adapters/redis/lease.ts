/** {@link Lease} on a Redis key with an owner's mark. */
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Lease } from '../../ports/lease.js';
import { guarded } from './redis-connection.js';

/** KEYS: lease. ARGV: owner, ttl (ms). */
const HOLD = `
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`;
const RELEASE = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end return 1`;

export function createLease(redis: Redis, name: string, ttlMs: number): Lease {
  const key = `sworn:lease:${name}`;
  const owner = randomUUID();
  return {
    hold: async () => (await guarded(redis.eval(HOLD, 1, key, owner, ttlMs))) === 1,
    release: async () => {
      await guarded(redis.eval(RELEASE, 1, key, owner));
    },
  };
}
