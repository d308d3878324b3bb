/** The stream that starts a Run owns it (contract §2). */
import { expect } from 'chai';
import { SseClient } from './support/sse-client.js';
import { newStores, TestApi, TOKENS, type Person } from './support/test-api.js';
import { until } from './support/until.js';

const GRACE_MS = 500;

describe('CA-3 the owning connection', () => {
  let api: TestApi;
  let open: SseClient[];
  beforeEach(async () => {
    api = await TestApi.start({ settings: { disconnectGraceMs: GRACE_MS } });
    open = [];
  });
  afterEach(async () => {
    for (const client of open) client.leave();
    await api.close();
  });

  async function start(
    body: object = {},
    person: Person = 'ann',
  ): Promise<{ client: SseClient; runId: string }> {
    const client = await SseClient.open({
      url: `${api.server.url}/api/chat`,
      token: TOKENS[person],
      method: 'POST',
      body: { query: 'why?', ...body },
    });
    open.push(client);
    await client.count(1);
    return { client, runId: String(client.frames[0]?.data['runId']) };
  }

  async function resume(runId: string, person: Person = 'ann', of = api): Promise<SseClient> {
    const client = await SseClient.open({
      url: `${of.server.url}/api/runs/${runId}/events`,
      token: TOKENS[person],
      headers: { 'Last-Event-ID': '1' },
    });
    open.push(client);
    expect(client.response.statusCode).to.equal(200);
    return client;
  }

  const cancelRequested = (runId: string): boolean =>
    api.stores.runs.records.get(runId)?.view.cancelRequestedAt !== null;
  /** The grace ended, and looked whether anybody holds the Run. */
  const graceOver = (runId: string): Promise<void> =>
    until(() => api.stores.owners.asked.includes(runId), 'the grace is over');
  const unwatched = (runId: string): Promise<void> =>
    until(() => api.stores.log.listeners(runId) === 0, 'no connection is left');

  it('SR-5 the first frame is metadata with both IDs; the stream goes on to done and cancels nothing', async () => {
    const { client, runId } = await start();
    expect(client.frames[0]).to.include({ id: 1, event: 'metadata' });
    expect(client.frames[0]?.data).to.have.property('sessionId').that.is.a('string');
    await client.count(2);
    await api.finish(runId, 'FAILED', { error: { code: 'INTERNAL', message: 'm' } });
    await client.end();
    expect(client.ids).to.deep.equal([1, 2, 3, 4]);
    await unwatched(runId);
    await api.app.closeStreams();
    expect(api.stores.owners.asked).to.deep.equal([]);
    expect(cancelRequested(runId)).to.equal(false);
    expect(api.stores.log.notified).to.deep.equal([]);
  });

  it('closes early: the Run is cancelled after the grace, and the workers are told', async () => {
    const { client, runId } = await start();
    client.leave();
    await until(() => cancelRequested(runId), 'the cancel request is recorded');
    await until(() => api.stores.log.notified.length === 1, 'the hint is sent');
    expect(api.stores.log.notified).to.deep.equal([runId]);
  });

  it('closes early with onDisconnect=continue: the Run goes on', async () => {
    const { client, runId } = await start({ onDisconnect: 'continue' });
    await client.count(2);
    client.leave();
    await unwatched(runId);
    await api.app.closeStreams();
    expect(cancelRequested(runId)).to.equal(false);
  });

  it('resumed in time by the same principal: that connection owns the Run then', async () => {
    const { client, runId } = await start();
    client.leave();
    await unwatched(runId);
    const second = await resume(runId);
    await second.count(1);
    await graceOver(runId);
    expect(cancelRequested(runId)).to.equal(false);
    second.leave();
    await until(() => cancelRequested(runId), 'the second connection owned it');
  });

  it('resumed at another replica, even before the first one notices the loss', async () => {
    const replica = await TestApi.start({ stores: api.stores, settings: { disconnectGraceMs: GRACE_MS } });
    try {
      const { client, runId } = await start();
      const second = await resume(runId, 'ann', replica);
      client.leave();
      await graceOver(runId);
      expect(cancelRequested(runId)).to.equal(false);
      second.leave();
      await until(() => cancelRequested(runId), 'the second connection owned it');
    } finally {
      await replica.close();
    }
  });

  it('another principal that follows does not own, and keeps nothing alive', async () => {
    const { client, runId } = await start({ visibility: 'shared' });
    const other = await resume(runId, 'bob');
    await other.count(1);
    other.leave();
    await until(() => api.stores.log.listeners(runId) === 1, 'the other one is gone');
    const third = await resume(runId, 'bob');
    await third.count(1);
    expect(api.stores.owners.asked).to.not.include(runId);
    client.leave();
    await until(() => cancelRequested(runId), 'the owner left');
  });

  it('one that observes from the start owns nothing, though it is the same principal', async () => {
    const { client, runId } = await start();
    const observer = await SseClient.open({
      url: `${api.server.url}/api/runs/${runId}/events`,
      token: TOKENS.ann,
    });
    open.push(observer);
    await observer.count(1);
    client.leave();
    await until(() => cancelRequested(runId), 'the owner left');
  });

  it('in a shared session the one that started the Run owns it, not the session’s principal', async () => {
    const { sessionId } = await api.ask('ann', { visibility: 'shared' });
    const { client, runId } = await start({ sessionId }, 'bob');
    client.leave();
    await unwatched(runId);
    await resume(runId, 'bob');
    await graceOver(runId);
    expect(cancelRequested(runId)).to.equal(false);
  });

  it('the hint that cannot be sent does not undo the recorded request', async () => {
    const { client, runId } = await start();
    api.stores.log.away = true;
    client.leave();
    await until(() => cancelRequested(runId), 'the cancel request is recorded');
  });

  it('a store that is away when the grace ends is asked again', async () => {
    const { client, runId } = await start();
    await client.count(2);
    api.stores.runs.away = true;
    client.leave();
    await until(
      () => api.lines.some(({ message }) => message.includes('could not be settled')),
      'it failed once',
    );
    api.stores.runs.away = false;
    await until(() => cancelRequested(runId), 'the next attempt succeeded');
  });

  it('a shutdown is not the client’s leaving', async () => {
    const { client, runId } = await start();
    await api.app.closeStreams();
    await client.end();
    await unwatched(runId);
    expect(api.stores.owners.asked).to.deep.equal([]);
    expect(cancelRequested(runId)).to.equal(false);
  });

  it('a shutdown in the middle of a grace lets it come to its end', async () => {
    const { client, runId } = await start();
    client.leave();
    await unwatched(runId);
    await api.app.closeStreams();
    expect(cancelRequested(runId)).to.equal(true);
  });

  it('Redis lost after the commit: metadata comes all the same, and the rest when Redis is back', async () => {
    const stores = newStores();
    const other = await TestApi.start({ stores, settings: { heartbeatMs: 25 } });
    try {
      stores.log.away = true;
      const client = await SseClient.open({
        url: `${other.server.url}/api/chat`,
        token: TOKENS.ann,
        method: 'POST',
        body: { query: 'why?' },
      });
      open.push(client);
      await client.count(1);
      const runId = String(client.frames[0]?.data['runId']);
      stores.log.away = false;
      await other.publish(runId, 'metadata', { event: 'metadata', data: { sessionId: 's' } });
      await other.publish(runId, 'status:QUEUED', { event: 'status', data: { status: 'QUEUED' } });
      await client.count(2);
      await until(() => stores.log.listeners(runId) === 1, 'it listens again');
      await other.finish(runId, 'CANCELLED');
      await client.end();
      expect(client.ids).to.deep.equal([1, 2, 3]);
    } finally {
      await other.close();
    }
  });

  it('a request that is refused opens no stream', async () => {
    const client = await SseClient.open({
      url: `${api.server.url}/api/chat`,
      token: TOKENS.ann,
      method: 'POST',
      body: { query: '' },
    });
    expect(client.response.statusCode).to.equal(400);
    expect(client.response.headers['content-type']).to.contain('application/problem+json');
  });
});
