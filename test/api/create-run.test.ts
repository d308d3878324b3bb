/** `POST /api/chat`: what it leaves behind, and what it answers. */
import { expect } from 'chai';
import type { ChatAccepted } from '../../src/shared/domain/contracts/chat.js';
import { newStores, TestApi } from './support/test-api.js';
import { until } from './support/until.js';

describe('FL-1 POST /api/chat enqueues a Run and answers at once', () => {
  let api: TestApi;
  beforeEach(async () => {
    api = await TestApi.start({ settings: { maxQueuedRuns: 2 } });
  });
  afterEach(() => api.close());

  it('202 with IDs and links; the row, the flow and the first two frames are there', async () => {
    const before = Date.now();
    const response = await api.post('/api/chat', 'ann', { query: 'why?' });
    const body = (await response.json()) as ChatAccepted;
    expect(response.status).to.equal(202);
    expect(body.runId).to.match(/^run-[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(body.sessionId).to.match(/^ses-[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(body.status).to.equal('QUEUED');
    for (const link of [body.links.run, body.links.trace])
      expect((await api.fetch(link, 'ann')).status, link).to.equal(200);
    expect(api.stores.queue.jobs).to.deep.equal([`${body.runId}-a1`]);
    const frames = await api.stores.log.read(body.runId, 0);
    expect(frames.map(({ seq, event }) => [seq, event])).to.deep.equal([
      [1, 'metadata'],
      [2, 'status'],
    ]);
    const { view } = api.stores.runs.records.get(body.runId)!;
    expect(Date.parse(view.window.to) - Date.parse(view.window.from)).to.equal(60 * 60_000);
    expect(Date.parse(view.window.to)).to.be.within(before, Date.now());
  });

  it('a window of any offset is kept in UTC', async () => {
    const { runId } = await api.ask('ann', {
      window: { from: '2026-03-01T08:00:00+08:00', to: '2026-03-01T09:00:00+08:00' },
    });
    expect(api.stores.runs.records.get(runId)!.view.window).to.deep.equal({
      from: '2026-03-01T00:00:00.000Z',
      to: '2026-03-01T01:00:00.000Z',
    });
  });

  it('503 QUEUE_FULL with Retry-After: N may wait, the next is refused and leaves nothing', async () => {
    await api.ask('ann');
    await api.ask('ann');
    const response = await api.post('/api/chat', 'ann', { query: 'a' });
    expect(response.status).to.equal(503);
    expect(response.headers.get('retry-after')).to.equal('5');
    expect(((await response.json()) as { code: string }).code).to.equal('QUEUE_FULL');
    expect(api.stores.runs.records.size).to.equal(2);
  });

  it('Redis away before the commit: 503 UNAVAILABLE and no half-written Run', async () => {
    api.stores.queue.away = true;
    const response = await api.post('/api/chat', 'ann', { query: 'a' });
    expect(((await response.json()) as { code: string }).code).to.equal('UNAVAILABLE');
    expect(api.stores.runs.records.size).to.equal(0);
  });

  it('MySQL away: 503 UNAVAILABLE and no job', async () => {
    api.stores.runs.away = true;
    const response = await api.post('/api/chat', 'root', { query: 'a' });
    expect(response.status).to.equal(503);
    expect(api.stores.queue.jobs).to.deep.equal([]);
  });

  it('Redis lost after the commit: the Run exists, so 202, and the log says that the sweeper has it', async () => {
    api.stores.queue.refusesJobs = true;
    const { runId } = await api.ask('ann');
    expect(api.stores.runs.records.has(runId)).to.equal(true);
    expect(api.lines.some(({ level, fields }) => level === 'warn' && 'runId' in fields)).to.equal(true);
  });

  it('visibility is settled by the request that makes the session', async () => {
    const first = await api.ask('ann', { sessionId: 'team', visibility: 'shared' });
    expect(api.stores.runs.sessions.get('team')?.visibility).to.equal('shared');
    const other = await api.post('/api/chat', 'ann', {
      query: 'b',
      sessionId: first.sessionId,
      visibility: 'private',
    });
    expect(other.status).to.equal(400);
    expect((await api.post('/api/chat', 'ann', { query: 'b', sessionId: 'team' })).status).to.equal(202);
  });
});

describe('FL-1 Prefer: wait', () => {
  let api: TestApi;
  beforeEach(async () => {
    api = await TestApi.start();
  });
  afterEach(() => api.close());

  const wait = (seconds: string): Promise<Response> =>
    api.post('/api/chat', 'ann', { query: 'a' }, { Prefer: `wait=${seconds}` });

  async function onlyRun(): Promise<string> {
    await until(() => api.stores.runs.records.size === 1, 'the Run is made');
    return [...api.stores.runs.records.keys()][0]!;
  }

  it('200 with the finished Run as soon as it has ended', async () => {
    const answer = wait('100');
    const runId = await onlyRun();
    await until(() => api.stores.log.listeners(runId) === 1, 'the wait listens');
    await api.finish(runId, 'FAILED', { error: { code: 'MODEL_UNAVAILABLE', message: 'm' } });
    const response = await answer;
    expect(response.status).to.equal(200);
    expect(response.headers.get('preference-applied')).to.equal('wait=100');
    const run = (await response.json()) as { runId: string; releaseOutcome: string };
    expect([run.runId, run.releaseOutcome]).to.deep.equal([runId, 'FAILED']);
    expect(api.stores.log.listeners(runId)).to.equal(0);
  });

  it('a Run that ends before the subscription is acknowledged is not missed', async () => {
    api.stores.log.onSubscribe = () => {
      const [runId] = api.stores.runs.records.keys();
      void api.finish(runId!, 'CANCELLED');
    };
    expect((await wait('100')).status).to.equal(200);
  });

  it('a frame that was lost costs a second at most, not the whole wait', async () => {
    api.stores.log.mute = true;
    const answer = wait('100');
    await api.finish(await onlyRun(), 'CANCELLED');
    expect((await answer).status).to.equal(200);
  });

  it('202 when the time is over, for a wait of 0 at once; one that is no number is ignored', async () => {
    expect((await wait('0')).status).to.equal(202);
    expect((await wait('1')).status).to.equal(202);
    const ignored = await wait('soon');
    expect([ignored.status, ignored.headers.get('preference-applied')]).to.deep.equal([202, null]);
  });

  it('more than 120 s are clamped', async () => {
    const answer = wait('9999');
    await api.finish(await onlyRun(), 'CANCELLED');
    expect((await answer).headers.get('preference-applied')).to.equal('wait=120');
  });

  it('a client that goes away frees what its wait held', async () => {
    const gone = new AbortController();
    const answer = api
      .fetch('/api/chat', 'ann', {
        method: 'POST',
        body: '{"query":"a"}',
        headers: { 'Content-Type': 'application/json', Prefer: 'wait=100' },
        signal: gone.signal,
      })
      .catch(() => undefined);
    const runId = await onlyRun();
    await until(() => api.stores.log.listeners(runId) === 1, 'the wait listens');
    gone.abort();
    await answer;
    await until(() => api.stores.log.listeners(runId) === 0, 'the subscription is closed');
  });

  it('a shutdown answers waits at once with 202', async () => {
    const answer = wait('100');
    const runId = await onlyRun();
    await until(() => api.stores.log.listeners(runId) === 1, 'the wait listens');
    await api.app.closeStreams();
    expect((await answer).status).to.equal(202);
  });

  it('without a free place a wait does not wait', async () => {
    const full = await TestApi.start({ stores: newStores(), settings: { maxStreams: 0 } });
    try {
      const response = await full.post('/api/chat', 'ann', { query: 'a' }, { Prefer: 'wait=100' });
      expect(response.status).to.equal(202);
    } finally {
      await full.close();
    }
  });
});
