/** {@link RunOwners} on a Redis sorted set per Run: connection → when its lease lapses. */
import type { Redis } from 'ioredis';
import type { Clock } from '../../ports/clock.js';
import type { RunOwners } from '../../ports/run-owners.js';
import { ownersKey } from './keys.js';
import { guarded } from './redis-connection.js';

export function createRunOwners(redis: Redis, clock: Clock): RunOwners {
  return {
    hold: async (runId, connectionId, leaseMs) => {
      const until = clock.now().getTime() + leaseMs;
      await guarded(
        redis.multi().zadd(ownersKey(runId), until, connectionId).pexpire(ownersKey(runId), leaseMs).exec(),
      );
    },
    release: async (runId, connectionId) => {
      await guarded(redis.zrem(ownersKey(runId), connectionId));
    },
    isHeld: async (runId) =>
      (await guarded(redis.zcount(ownersKey(runId), `(${clock.now().getTime()}`, '+inf'))) > 0,
  };
}
