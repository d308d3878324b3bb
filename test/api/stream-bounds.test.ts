/** Event streams: heartbeats, slow readers, places, shutdown. */
import { expect } from 'chai';
import type { Fallback } from '../../src/shared/domain/contracts/report.js';
import { SseClient } from './support/sse-client.js';
import { newStores, TestApi, TOKENS } from './support/test-api.js';
import { until } from './support/until.js';

const FALLBACK: Fallback = {
  type: 'INSUFFICIENT_EVIDENCE',
  message: 'm',
  verified_sources: [],
  observed_facts: [],
  missing_context: [],
};

describe('FL-4 the heartbeat', () => {
  let api: TestApi;
  let client: SseClient;
  let runId: string;
  beforeEach(async () => {
    api = await TestApi.start({ settings: { heartbeatMs: 25 } });
    ({ runId } = await api.ask('ann'));
    client = await SseClient.open({ url: `${api.server.url}/api/runs/${runId}/events`, token: TOKENS.ann });
    await client.count(2);
  });
  afterEach(async () => {
    client.leave();
    await api.close();
  });

  it('is a comment', async () => {
    await until(() => client.comments.length >= 2, 'two heartbeats came');
    expect(client.events).to.deep.equal(['metadata', 'status']);
  });

  it('re-reads the Run: a lost last frame costs one heartbeat', async () => {
    api.stores.log.mute = true;
    await api.finish(runId, 'CANCELLED');
    await client.end();
    expect(client.events.at(-1)).to.equal('done');
  });

  it('ends a Run whose last frames nobody has published, from its row', async () => {
    await api.finish(runId, 'FALLBACK', { fallback: FALLBACK }, false);
    await client.end();
    expect(client.frames.slice(2).map(({ id, event }) => [id, event])).to.deep.equal([
      [3, 'report'],
      [4, 'done'],
    ]);
  });

  it('ends it from its row even while Redis is away', async () => {
    api.stores.log.away = true;
    await api.finish(runId, 'CANCELLED', {}, false);
    await client.end();
    expect(client.events.at(-1)).to.equal('done');
  });

  it('outlives a MySQL that is away for a while', async () => {
    api.stores.runs.away = true;
    const seen = client.comments.length;
    await until(() => client.comments.length >= seen + 3, 'heartbeats go on');
    api.stores.runs.away = false;
    await api.finish(runId, 'CANCELLED');
    await client.end();
  });

  it('ends the stream of a token that was revoked', async () => {
    api.stores.runs.tokens.clear();
    await client.end();
    expect(client.events).to.deep.equal(['metadata', 'status']);
  });
});

describe('FL-4 streams are bounded', () => {
  it('a reader that leaves more than 1 MiB unsent is dropped, others are not', async () => {
    const api = await TestApi.start();
    try {
      const { runId } = await api.ask('ann');
      const url = `${api.server.url}/api/runs/${runId}/events`;
      const slow = await SseClient.open({ url, token: TOKENS.ann }, false);
      const quick = await SseClient.open({ url, token: TOKENS.ann });
      await until(() => api.stores.log.listeners(runId) === 2, 'both listen');
      const message = 'x'.repeat(200_000);
      for (let turn = 1; turn <= 100 && api.stores.log.listeners(runId) === 2; turn += 1) {
        await api.publish(runId, `error:${turn}`, { event: 'error', data: { code: 'INTERNAL', message } });
        await quick.count(2 + turn);
      }
      expect(api.stores.log.listeners(runId)).to.equal(1);
      expect(quick.closed).to.equal(false);
      const seen = quick.frames.length;
      expect(quick.ids).to.deep.equal(Array.from({ length: seen }, (_, index) => index + 1));
      slow.leave();
      quick.leave();
    } finally {
      await api.close();
    }
  });

  it('a replay larger than that reaches a reader that reads', async () => {
    const api = await TestApi.start();
    try {
      const { runId } = await api.ask('ann');
      const message = 'x'.repeat(100_000);
      for (let turn = 1; turn <= 50; turn += 1)
        await api.publish(runId, `error:${turn}`, { event: 'error', data: { code: 'INTERNAL', message } });
      await api.finish(runId, 'CANCELLED');
      const client = await SseClient.open({
        url: `${api.server.url}/api/runs/${runId}/events`,
        token: TOKENS.ann,
      });
      await client.end();
      expect(client.ids).to.deep.equal(Array.from({ length: 53 }, (_, index) => index + 1));
    } finally {
      await api.close();
    }
  });

  it('no more streams than this process has places; a closed one gives its place back', async () => {
    const api = await TestApi.start({ stores: newStores(), settings: { maxStreams: 1 } });
    try {
      const { runId } = await api.ask('ann');
      const request = { url: `${api.server.url}/api/runs/${runId}/events`, token: TOKENS.ann };
      const first = await SseClient.open(request);
      const second = await SseClient.open(request);
      expect(second.response.statusCode).to.equal(503);
      first.leave();
      await until(() => api.stores.log.listeners(runId) === 0, 'the first is closed');
      const third = await SseClient.open(request);
      expect(third.response.statusCode).to.equal(200);
      third.leave();
    } finally {
      await api.close();
    }
  });

  it('a shutdown ends all streams with a jittered retry, and takes no new ones', async () => {
    const api = await TestApi.start();
    const { runId } = await api.ask('ann');
    const request = { url: `${api.server.url}/api/runs/${runId}/events`, token: TOKENS.ann };
    const clients = await Promise.all([1, 2, 3, 4].map(() => SseClient.open(request)));
    await Promise.all(clients.map((client) => client.count(2)));
    await api.app.closeStreams();
    for (const client of clients) {
      await client.end();
      expect(client.retries).to.have.length(2);
      expect(client.retries[1]).to.be.within(1000, 5000);
    }
    expect(new Set(clients.map(({ retries }) => retries[1])).size).to.be.above(1);
    expect((await SseClient.open(request)).response.statusCode).to.equal(503);
    expect(api.stores.runs.records.get(runId)?.view.cancelRequestedAt).to.equal(null);
    await api.close();
  });
});
