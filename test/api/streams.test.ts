/** Event streams over real HTTP: replay, live, reconnects, the end, and what is bounded. */
import { expect } from 'chai';
import { EVENT_DATA, type EventName, type RunEvent } from '../../src/shared/domain/contracts/events.js';
import type { Fallback } from '../../src/shared/domain/contracts/report.js';
import { SseClient } from './support/sse-client.js';
import { TestApi, TOKENS, type Person } from './support/test-api.js';
import { until } from './support/until.js';

const FALLBACK: Fallback = {
  type: 'INSUFFICIENT_EVIDENCE',
  message: 'm',
  verified_sources: [],
  observed_facts: [],
  missing_context: [],
};
const RUNNING = { event: 'status', data: { status: 'RUNNING' } } as const;
const STEP = (round: number): RunEvent => ({ event: 'step', data: { round, toolCalls: [] } });

describe('FL-4 GET /api/runs/{runId}/events', () => {
  let api: TestApi;
  let open: SseClient[] = [];
  beforeEach(async () => {
    api = await TestApi.start();
    open = [];
  });
  afterEach(async () => {
    for (const client of open) client.leave();
    await api.close();
  });

  async function follow(
    runId: string,
    headers: Record<string, string> = {},
    query = '',
    person: Person = 'ann',
    of = api,
  ): Promise<SseClient> {
    const url = `${of.server.url}/api/runs/${runId}/events${query}`;
    const client = await SseClient.open({ url, token: TOKENS[person], headers });
    open.push(client);
    return client;
  }

  it('the head, the replay, live frames, done, the end', async () => {
    const { runId, sessionId } = await api.ask('ann');
    await api.publish(runId, 'status:RUNNING', RUNNING);
    const client = await follow(runId);
    expect(client.response.statusCode).to.equal(200);
    expect(client.response.headers).to.include({
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
      'cache-control': 'no-store',
    });
    expect(client.response.headers['x-request-id']).to.be.a('string');
    expect(client.response.headers).to.not.have.property('content-encoding');
    await client.count(3);
    await api.publish(runId, 'step:1', STEP(1));
    await api.finish(runId, 'FALLBACK', { fallback: FALLBACK });
    await client.end();
    expect(client.ids).to.deep.equal([1, 2, 3, 4, 5, 6]);
    expect(client.events).to.deep.equal(['metadata', 'status', 'status', 'step', 'report', 'done']);
    expect(client.frames[0]?.data).to.include({ runId, sessionId, seq: 1 });
    for (const { event, data } of client.frames) {
      const { runId: _r, seq: _s, at: _a, ...rest } = data;
      EVENT_DATA[event as EventName].parse(rest);
    }
    expect(client.retries).to.deep.equal([2000]);
    await until(() => api.stores.log.listeners(runId) === 0, 'the subscription is closed');
  });

  it('frames published while the subscription is being acknowledged come once', async () => {
    const { runId } = await api.ask('ann');
    api.stores.log.onSubscribe = () => void api.publish(runId, 'step:1', STEP(1));
    const client = await follow(runId);
    await client.count(3);
    await api.publish(runId, 'step:2', STEP(2));
    await client.count(4);
    expect(client.ids).to.deep.equal([1, 2, 3, 4]);
  });

  it('frames published while the log is being read come once and in order', async () => {
    const { runId } = await api.ask('ann');
    const { log } = api.stores;
    const read = log.read.bind(log);
    let reads = 0;
    log.read = async (id, after) => {
      const frames = await read(id, after);
      reads += 1;
      if (reads <= 3) await api.publish(id, `step:${reads}`, STEP(reads));
      return frames;
    };
    const client = await follow(runId);
    await client.count(5);
    await api.finish(runId, 'CANCELLED');
    await client.end();
    expect(client.ids).to.deep.equal([1, 2, 3, 4, 5, 6]);
  });

  it('Last-Event-ID and ?after= resume after that frame; a cursor beyond the head is clamped to it', async () => {
    const { runId } = await api.ask('ann');
    const [byHeader, byQuery, beyond] = await Promise.all([
      follow(runId, { 'Last-Event-ID': '1' }),
      follow(runId, {}, '?after=1'),
      follow(runId, { 'Last-Event-ID': '999' }),
    ]);
    await byHeader.count(1);
    await byQuery.count(1);
    await api.publish(runId, 'status:RUNNING', RUNNING);
    await beyond.count(1);
    await byHeader.count(2);
    expect([byHeader.ids, beyond.ids]).to.deep.equal([[2, 3], [3]]);
    expect(byQuery.ids[0]).to.equal(2);
  });

  it('a malformed cursor is 400', async () => {
    const { runId } = await api.ask('ann');
    const response = await api.fetch(`/api/runs/${runId}/events?after=two`, 'ann');
    expect(response.status).to.equal(400);
    const client = await follow(runId, { 'Last-Event-ID': 'x' });
    expect(client.response.statusCode).to.equal(400);
  });

  it('any replica serves any Run', async () => {
    const replica = await TestApi.start({ stores: api.stores });
    try {
      const { runId } = await api.ask('ann');
      const client = await follow(runId, {}, '', 'ann', replica);
      await client.count(2);
      await api.finish(runId, 'CANCELLED');
      await client.end();
      expect(client.events.at(-1)).to.equal('done');
    } finally {
      await replica.close();
    }
  });

  it('a finished Run replays whole, and a reconnect at or after done gets 204', async () => {
    const { runId } = await api.ask('ann');
    await api.finish(runId, 'FALLBACK', { fallback: FALLBACK });
    const client = await follow(runId);
    await client.end();
    expect(client.ids).to.deep.equal([1, 2, 3, 4]);
    for (const cursor of ['4', '5', '999'])
      expect((await follow(runId, { 'Last-Event-ID': cursor })).response.statusCode, cursor).to.equal(204);
    const record = api.stores.runs.records.get(runId)!;
    record.frameCount = null;
    expect((await follow(runId, { 'Last-Event-ID': '4' })).response.statusCode).to.equal(204);
  });

  it('once the log has expired: metadata, gap, report and done from the row', async () => {
    const { runId } = await api.ask('ann');
    for (const round of [1, 2, 3]) await api.publish(runId, `step:${round}`, STEP(round));
    await api.finish(runId, 'FALLBACK', { fallback: FALLBACK });
    api.stores.log.expire(runId);
    const whole = await follow(runId);
    await whole.end();
    expect(whole.frames.map(({ id, event }) => [id, event])).to.deep.equal([
      [1, 'metadata'],
      [2, 'gap'],
      [6, 'report'],
      [7, 'done'],
    ]);
    expect(whole.frames[1]?.data).to.include({ from: 2, to: 5 });
    expect(whole.frames[2]?.data).to.deep.include({ releaseOutcome: 'FALLBACK', fallback: FALLBACK });
    const late = await follow(runId, { 'Last-Event-ID': '6' });
    await late.end();
    expect(late.events).to.deep.equal(['done']);
  });

  it('frames that the log lost in the middle of a Run show as a gap', async () => {
    const { runId } = await api.ask('ann');
    const client = await follow(runId);
    await client.count(2);
    api.stores.log.expire(runId);
    await api.stores.log.publish(runId, [{ key: 'step:3', event: STEP(3) }], 8, new Date().toISOString());
    await client.count(4);
    expect(client.frames.slice(2).map(({ id, event }) => [id, event])).to.deep.equal([
      [3, 'gap'],
      [9, 'step'],
    ]);
    expect(client.frames[2]?.data).to.include({ from: 3, to: 8 });
  });

  it('after a lost connection to Redis the log is read again', async () => {
    const { runId } = await api.ask('ann');
    const client = await follow(runId);
    await client.count(2);
    api.stores.log.mute = true;
    await api.publish(runId, 'status:RUNNING', RUNNING);
    api.stores.log.mute = false;
    api.stores.log.reset(runId);
    await client.count(3);
    await api.publish(runId, 'step:1', STEP(1));
    await client.count(4);
    expect(client.ids).to.deep.equal([1, 2, 3, 4]);
  });

  it('a live frame that was lost is read from the log, not called a gap, when the next one comes', async () => {
    const { runId } = await api.ask('ann');
    const client = await follow(runId);
    await client.count(2);
    api.stores.log.mute = true;
    await api.publish(runId, 'step:1', STEP(1));
    api.stores.log.mute = false;
    await api.publish(runId, 'step:2', STEP(2));
    await client.count(4);
    expect(client.events.slice(2)).to.deep.equal(['step', 'step']);
  });

  it('503 while Redis is away, before the head is sent; nothing stays open', async () => {
    const { runId } = await api.ask('ann');
    api.stores.log.away = true;
    const response = await api.fetch(`/api/runs/${runId}/events`, 'ann');
    expect(response.status).to.equal(503);
    expect(((await response.json()) as { code: string }).code).to.equal('UNAVAILABLE');
    expect(api.stores.log.listeners(runId)).to.equal(0);
  });

  it('an observer that leaves cancels nothing, whatever its cursor', async () => {
    const { runId } = await api.ask('ann', { onDisconnect: 'cancel' });
    expect(api.stores.runs.records.get(runId)?.onDisconnect).to.equal('continue');
    const client = await follow(runId, { 'Last-Event-ID': '1' });
    await client.count(1);
    client.leave();
    await until(() => api.stores.log.listeners(runId) === 0, 'the subscription is closed');
    await api.app.closeStreams();
    expect(api.stores.owners.asked).to.not.include(runId);
    expect(api.stores.runs.records.get(runId)?.view.cancelRequestedAt).to.equal(null);
  });

  it('HEAD answers the head and opens no stream', async () => {
    const { runId } = await api.ask('ann');
    const response = await api.fetch(`/api/runs/${runId}/events`, 'ann', { method: 'HEAD' });
    expect(response.headers.get('content-type')).to.contain('text/event-stream');
    expect(api.stores.log.listeners(runId)).to.equal(0);
  });
});
