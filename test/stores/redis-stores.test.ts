/** Canonical records, the conversation window, leases and owners in Redis. */
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { createCanonicalStore } from '../../src/shared/adapters/redis/canonical-store.js';
import { createConversationWindow } from '../../src/shared/adapters/redis/conversation-window.js';
import { createLease } from '../../src/shared/adapters/redis/lease.js';
import { closeRedis, connectRedis } from '../../src/shared/adapters/redis/redis-connection.js';
import { createRunOwners } from '../../src/shared/adapters/redis/run-owners.js';
import { CanonicalInvocation } from '../../src/shared/domain/contracts/invocation.js';
import type { CanonicalStore, FinishInvocation } from '../../src/shared/ports/canonical-store.js';
import { uuidIds } from '../../src/shared/runtime/identity.js';
import { sharedServers } from '../support/shared-servers.js';
import { until } from '../support/until.js';
import { captureLog } from './support/captured-log.js';
import { failureOf } from './support/failure.js';

const AT = '2026-11-30T10:00:00.000Z';
const TTL_S = 900;

describe('Redis stores', function () {
  this.timeout(20_000);
  let redis: Redis;
  before(async () => {
    redis = await connectRedis((await sharedServers()).redisUrl, 'worker', captureLog().log);
  });
  after(() => closeRedis(redis));

  describe('IV-1 the canonical store', () => {
    let store: CanonicalStore;
    let runId: string;
    beforeEach(() => {
      store = createCanonicalStore(redis, TTL_S);
      runId = uuidIds.runId();
    });
    const begin = (claim: number, toolCallId = 'call_1') =>
      store.begin({ runId, toolCallId, tool: 'log_search', claim, startedAt: AT });
    const finish = (claim: number, change: Partial<FinishInvocation> = {}) =>
      store.finish({
        runId,
        toolCallId: 'call_1',
        claim,
        status: 'READY',
        evidenceStatus: 'EVIDENCE_FOUND',
        scope: '{"limit":50}',
        agentResult: `{"by":${claim}}`,
        finishedAt: AT,
        ...change,
      });
    const load = async (toolCallId = 'call_1') => (await store.load(runId, [toolCallId]))[0];

    it('IV-1 PROJECTING, then READY, with the contract’s fields and no other', async () => {
      expect(await begin(1)).to.equal('begun');
      const projecting = CanonicalInvocation.parse(await load());
      expect(projecting).to.deep.include({
        status: 'PROJECTING',
        evidence_status: '',
        agent_result: '',
        finished_at: '',
      });
      expect(await finish(1)).to.equal('written');
      expect(CanonicalInvocation.parse(await load())).to.deep.equal({
        run_id: runId,
        tool_call_id: 'call_1',
        tool: 'log_search',
        status: 'READY',
        evidence_status: 'EVIDENCE_FOUND',
        scope: '{"limit":50}',
        agent_result: '{"by":1}',
        started_at: AT,
        finished_at: AT,
      });
    });

    it('IV-1 a READY record is never overwritten, neither begun again nor finished again, by any claim', async () => {
      await begin(1);
      await finish(1);
      const before = await load();
      for (const claim of [0, 1, 2, 9]) {
        expect(await begin(claim)).to.equal('ready');
        expect(await finish(claim, { status: 'ERROR', agentResult: '' })).to.equal('ready');
      }
      expect(await load()).to.deep.equal(before);
    });

    it('IV-1 a worker whose claim is older begins nothing and finishes nothing', async () => {
      await begin(1);
      expect(await begin(2)).to.equal('begun');
      expect(await begin(1)).to.equal('stale');
      expect(await finish(1)).to.equal('stale');
      expect(await load()).to.deep.include({ status: 'PROJECTING' });
      expect(await finish(2)).to.equal('written');
      expect(await load()).to.deep.include({ agent_result: '{"by":2}' });
    });

    it('IV-1 what was never begun, or is gone, cannot be finished', async () => {
      expect(await finish(1)).to.equal('stale');
      await begin(1);
      await redis.del(...(await redis.keys(`sworn:run:{${runId}}:*`)));
      expect(await finish(1)).to.equal('stale');
      expect(await load()).to.equal(null);
    });

    it('IV-1 an ERROR record may be begun anew by a newer claim, and nothing of it stays', async () => {
      await begin(1);
      expect(await finish(1, { status: 'ERROR', evidenceStatus: 'ERROR', agentResult: '' })).to.equal(
        'written',
      );
      expect(await begin(2)).to.equal('begun');
      expect(await load()).to.deep.include({ status: 'PROJECTING', evidence_status: '', scope: '' });
    });

    it('IV-1 of twenty workers at once one result stands whole', async () => {
      await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          await begin(index + 1);
          return finish(index + 1);
        }),
      );
      const record = CanonicalInvocation.parse(await load());
      expect(record.status).to.equal('READY');
      expect(JSON.parse(record.agent_result)).to.have.property('by').that.is.within(1, 20);
    });

    it('EG-6 records are found by Run and call alone, in the order asked, null where nothing stands', async () => {
      await begin(1, 'a:b.c-d_E');
      await begin(1, 'call_1');
      const records = await store.load(runId, ['call_1', 'none', 'a:b.c-d_E']);
      expect(records.map((record) => record?.['tool_call_id'] ?? null)).to.deep.equal([
        'call_1',
        null,
        'a:b.c-d_E',
      ]);
      expect(await store.load(uuidIds.runId(), ['call_1'])).to.deep.equal([null]);
      expect(await store.load(runId, [])).to.deep.equal([]);
    });

    it('IV-1 a call ID of the harness’s own key names cannot reach other keys of its Run', async () => {
      await begin(1);
      for (const toolCallId of ['claims', 'events', ':claims']) {
        expect(await begin(1, toolCallId)).to.equal('begun');
        expect(await load(toolCallId)).to.deep.include({ tool_call_id: toolCallId });
      }
      expect(await finish(1)).to.equal('written');
    });

    it('IV-1 every key expires', async () => {
      await begin(1);
      await finish(1);
      const keys = await redis.keys(`sworn:run:{${runId}}:*`);
      expect(keys).to.have.length(2);
      for (const key of keys) expect(await redis.ttl(key)).to.be.within(TTL_S - 5, TTL_S);
    });

    it('EG-9 what stands there is given as it stands, for the guard to judge', async () => {
      await redis.hset(`sworn:run:{${runId}}:inv:odd`, { status: 'READY', made_up: 'x' });
      expect(await load('odd')).to.deep.equal({ status: 'READY', made_up: 'x' });
    });
  });

  describe('SR-11 the conversation window', () => {
    it('SR-11 keeps the last twelve turns, oldest first, for a day after the last', async () => {
      const window = createConversationWindow(redis);
      const sessionId = uuidIds.sessionId();
      expect(await window.read(sessionId)).to.deep.equal([]);
      for (let n = 1; n <= 14; n += 1)
        await window.append(sessionId, { query: `q${n} 🧯`, answer: `a${n}`, at: AT });
      const turns = await window.read(sessionId);
      expect(turns.map(({ query }) => query)).to.deep.equal(
        Array.from({ length: 12 }, (_, n) => `q${n + 3} 🧯`),
      );
      const key = `sworn:session:{${sessionId}}:window`;
      expect(await redis.ttl(key)).to.be.within(24 * 3600 - 5, 24 * 3600);
      await redis.expire(key, 10);
      await window.append(sessionId, { query: 'q', answer: 'a', at: AT });
      expect(await redis.ttl(key)).to.be.greaterThan(10);
      expect(await window.read(uuidIds.sessionId())).to.deep.equal([]);
    });

    it('SR-11 of appends at once none is lost', async () => {
      const window = createConversationWindow(redis);
      const sessionId = uuidIds.sessionId();
      await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          window.append(sessionId, { query: `q${n}`, answer: 'a', at: AT }),
        ),
      );
      expect(await window.read(sessionId)).to.have.length(10);
    });

    it('SR-11 what is no turn is a fault, not a turn', async () => {
      const window = createConversationWindow(redis);
      const sessionId = uuidIds.sessionId();
      await redis.rpush(`sworn:session:{${sessionId}}:window`, '{"query":1}');
      expect(await failureOf(window.read(sessionId))).to.have.property('name', 'ZodError');
    });
  });

  describe('FL-5 leases', () => {
    it('FL-5 one of many holds it, renews it, and gives it on', async () => {
      const name = uuidIds.runId();
      const leases = Array.from({ length: 10 }, () => createLease(redis, name, 60_000));
      const held = await Promise.all(leases.map((lease) => lease.hold()));
      expect(held.filter(Boolean)).to.have.length(1);
      const holder = leases[held.indexOf(true)];
      const other = leases[held.indexOf(false)];
      expect(await holder?.hold()).to.equal(true);
      await other?.release();
      expect(await other?.hold()).to.equal(false);
      await holder?.release();
      expect(await other?.hold()).to.equal(true);
      expect(await holder?.hold()).to.equal(false);
    });

    it('FL-5 it lapses when its holder dies, and a holder that wakes does not take it back', async () => {
      const name = uuidIds.runId();
      const dead = createLease(redis, name, 150);
      const heir = createLease(redis, name, 60_000);
      expect(await dead.hold()).to.equal(true);
      expect(await redis.pttl(`sworn:lease:${name}`)).to.be.within(1, 150);
      await until('the lease to lapse', () => heir.hold());
      expect(await dead.hold()).to.equal(false);
      await dead.release();
      expect(await dead.hold()).to.equal(false);
    });
  });

  describe('CA-3 owners of a Run', () => {
    it('CA-3 a hold lives as long as it is renewed, and the Run is held while one lives', async () => {
      let now = Date.parse(AT);
      const owners = createRunOwners(redis, { now: () => new Date(now) });
      const runId = uuidIds.runId();
      expect(await owners.isHeld(runId)).to.equal(false);
      await owners.hold(runId, 'one', 5000);
      await owners.hold(runId, 'two', 9000);
      now += 6000;
      expect(await owners.isHeld(runId)).to.equal(true);
      await owners.release(runId, 'two');
      expect(await owners.isHeld(runId)).to.equal(false);
      await owners.hold(runId, 'one', 5000);
      expect(await owners.isHeld(runId)).to.equal(true);
      expect(await redis.pttl(`sworn:run:{${runId}}:owners`)).to.be.within(1, 5000);
    });
  });
});
