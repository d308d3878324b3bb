/**
 * {@link CanonicalStore} on Redis hashes. The claim that may write stands in a hash beside the records, so that a record
 * holds nothing but the canonical fields.
 */
import type { Redis } from 'ioredis';
import type { CanonicalStore } from '../../ports/canonical-store.js';
import { claimsKey, invocationKey } from './keys.js';
import { guarded } from './redis-connection.js';

/** KEYS: record, claims. ARGV: tool call ID, claim, ttl (s), then field, value … of the new record. */
const BEGIN = `
if redis.call('HGET', KEYS[1], 'status') == 'READY' then return 'ready' end
local held = tonumber(redis.call('HGET', KEYS[2], ARGV[1]))
if held and held > tonumber(ARGV[2]) then return 'stale' end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('DEL', KEYS[1])
for i = 4, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('EXPIRE', KEYS[1], ARGV[3])
redis.call('EXPIRE', KEYS[2], ARGV[3])
return 'begun'
`;

/** As above; writes only over the record that the same claim began. */
const FINISH = `
local status = redis.call('HGET', KEYS[1], 'status')
if status == 'READY' then return 'ready' end
local held = tonumber(redis.call('HGET', KEYS[2], ARGV[1]))
if not status or held ~= tonumber(ARGV[2]) then return 'stale' end
for i = 4, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('EXPIRE', KEYS[1], ARGV[3])
redis.call('EXPIRE', KEYS[2], ARGV[3])
return 'written'
`;

export function createCanonicalStore(redis: Redis, ttlSeconds: number): CanonicalStore {
  const run = async (
    script: string,
    record: { runId: string; toolCallId: string; claim: number },
    fields: Readonly<Record<string, string>>,
  ): Promise<unknown> =>
    guarded(
      redis.eval(
        script,
        2,
        invocationKey(record.runId, record.toolCallId),
        claimsKey(record.runId),
        record.toolCallId,
        record.claim,
        ttlSeconds,
        ...Object.entries(fields).flat(),
      ),
    );
  return {
    begin: async (record) =>
      (await run(BEGIN, record, {
        run_id: record.runId,
        tool_call_id: record.toolCallId,
        tool: record.tool,
        status: 'PROJECTING',
        evidence_status: '',
        scope: '',
        agent_result: '',
        started_at: record.startedAt,
        finished_at: '',
      })) as 'begun' | 'ready' | 'stale',
    finish: async (record) =>
      (await run(FINISH, record, {
        status: record.status,
        evidence_status: record.evidenceStatus,
        scope: record.scope,
        agent_result: record.agentResult,
        finished_at: record.finishedAt,
      })) as 'written' | 'ready' | 'stale',
    load: async (runId, toolCallIds) => {
      const replies = await Promise.all(
        toolCallIds.map((toolCallId) => guarded(redis.hgetall(invocationKey(runId, toolCallId)))),
      );
      return replies.map((reply) => (Object.keys(reply).length === 0 ? null : reply));
    },
  };
}
