/** What a caller is told when a request does not fit, and what never leaves the server. */
import { connect } from 'node:net';
import { expect } from 'chai';
import { MAX_QUERY_CHARACTERS } from '../../src/shared/domain/contracts/chat.js';
import { Problem } from '../../src/shared/domain/contracts/problem.js';
import { TestApi } from './support/test-api.js';
import { until } from './support/until.js';

const RUN = 'run-01890000-0000-7000-8000-000000000000';

async function problem(response: Response): Promise<Problem> {
  expect(response.headers.get('content-type')).to.match(/^application\/problem\+json/);
  const body = Problem.parse(await response.json());
  expect(body.status).to.equal(response.status);
  return body;
}

describe('FL-1 bad input gets a clear problem, and nothing half done', () => {
  let api: TestApi;
  beforeEach(async () => {
    api = await TestApi.start();
  });
  afterEach(() => api.close());

  const refused: [name: string, body: unknown, paths: string[]][] = [
    ['an unknown field', { query: 'a', querry: 'b' }, ['querry']],
    [
      'an unknown field inside',
      { query: 'a', window: { from: 1, to: '2026-01-01T00:00:00Z', x: 1 } },
      ['window.from', 'window.x'],
    ],
    ['a missing query', {}, ['query']],
    ['an empty query', { query: ' \n' }, ['query']],
    ['a wrong type', { query: 7 }, ['query']],
    ['a query too long', { query: 'x'.repeat(MAX_QUERY_CHARACTERS + 1) }, ['query']],
    ['an unusable session ID', { query: 'a', sessionId: 'a b' }, ['sessionId']],
    ['an unknown visibility', { query: 'a', visibility: 'public' }, ['visibility']],
    ['an unknown onDisconnect', { query: 'a', onDisconnect: 'stop' }, ['onDisconnect']],
    [
      'a window upside down',
      { query: 'a', window: { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' } },
      ['window.from'],
    ],
    [
      'a window over 366 days',
      { query: 'a', window: { from: '2020-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z' } },
      ['window.to'],
    ],
    ['an array', [], ['']],
    ['null', null, ['']],
    ['broken JSON', '{"query": "a"', ['']],
    ['a key that stands twice', '{"query": "a", "query": "b"}', ['']],
    ['the key __proto__', '{"query": "a", "__proto__": {"visibility": "shared"}}', ['']],
    ['nothing', '', ['']],
  ];
  for (const [name, body, paths] of refused) {
    it(`400 INVALID_REQUEST for ${name}, with the path of each fault`, async () => {
      const found = await problem(await api.post('/api/chat', 'ann', body));
      expect(found.code).to.equal('INVALID_REQUEST');
      expect(found.errors?.map(({ path }) => path)).to.have.members(paths);
      expect(api.stores.runs.records.size).to.equal(0);
      expect(api.stores.queue.jobs).to.deep.equal([]);
    });
  }

  it('takes a query of exactly the limit', async () => {
    const response = await api.post('/api/chat', 'ann', { query: 'x'.repeat(MAX_QUERY_CHARACTERS) });
    expect(response.status).to.equal(202);
  });

  it('400 for bytes that are not UTF-8', async () => {
    const body = Buffer.concat([Buffer.from('{"query": "'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
    const response = await api.fetch('/api/chat', 'ann', {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/json' },
    });
    expect((await problem(response)).code).to.equal('INVALID_REQUEST');
  });

  it('413 TOO_LARGE over 256 KiB, whether the length is declared or not', async () => {
    const text = JSON.stringify({ query: 'x'.repeat(256 * 1024) });
    expect((await problem(await api.post('/api/chat', 'ann', text))).code).to.equal('TOO_LARGE');
    const chunks = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode(text));
        controller.close();
      },
    });
    const response = await api.fetch('/api/chat', 'ann', {
      method: 'POST',
      body: chunks,
      duplex: 'half',
      headers: { 'Content-Type': 'application/json' },
    });
    expect((await problem(response)).code).to.equal('TOO_LARGE');
  });

  it('413 at once for a length that nobody would read', async () => {
    const socket = connect(Number(new URL(api.server.url).port), '127.0.0.1');
    let answer = '';
    socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
    socket.write(
      'POST /api/chat HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer token-ann\r\nContent-Type: application/json\r\nContent-Length: 999999999\r\n\r\n',
    );
    await until(() => answer.includes('TOO_LARGE'), 'the answer came');
    await until(() => socket.readableEnded, 'the connection is closed');
    socket.destroy();
  });

  for (const headers of [
    { 'Content-Type': 'text/plain' },
    { 'Content-Type': 'application/x-www-form-urlencoded' },
    { 'Content-Type': 'application/json; charset=latin1' },
    { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
  ]) {
    it(`415 UNSUPPORTED_MEDIA_TYPE for ${Object.values(headers).join(' + ')}`, async () => {
      const response = await api.post('/api/chat', 'ann', { query: 'a' }, headers);
      expect((await problem(response)).code).to.equal('UNSUPPORTED_MEDIA_TYPE');
    });
  }

  it('404 for a path without a route and for IDs that name nothing', async () => {
    for (const path of [
      '/api/nothing',
      `/api/runs/${RUN}`,
      '/api/runs/run-1',
      `/api/runs/${RUN}/events`,
      '/api/runs/%E0%A4%A',
    ])
      expect((await problem(await api.fetch(path, 'ann'))).code, path).to.equal('NOT_FOUND');
    const cancel = await api.post(`/api/runs/${RUN}/cancel`, 'ann', '');
    expect((await problem(cancel)).code).to.equal('NOT_FOUND');
  });

  it('405 names the methods that the path has; OPTIONS lists them; HEAD is as GET without a body', async () => {
    const wrong = await api.fetch('/api/chat', 'ann');
    expect((await problem(wrong)).code).to.equal('METHOD_NOT_ALLOWED');
    expect(wrong.status).to.equal(405);
    expect(wrong.headers.get('allow')).to.equal('POST, OPTIONS');
    const options = await api.fetch('/api/openapi.json', null, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('allow')]).to.deep.equal([204, 'HEAD, GET, OPTIONS']);
    const head = await api.fetch('/healthz', null, { method: 'HEAD' });
    expect([head.status, await head.text()]).to.deep.equal([200, '']);
  });

  it('400 for an unknown query parameter: a misspelt runId must not show another Run', async () => {
    const { sessionId } = await api.ask('ann');
    const found = await problem(await api.fetch(`/api/diagnosis/${sessionId}/trace?run_id=x`, 'ann'));
    expect(found.errors).to.deep.equal([{ path: 'run_id', message: 'unknown field' }]);
  });

  it('every answer has X-Request-Id: the client’s when it is sane, else one of ours', async () => {
    const own = await api.fetch('/healthz', null, { headers: { 'X-Request-Id': 'abc-1' } });
    expect(own.headers.get('x-request-id')).to.equal('abc-1');
    const long = await api.fetch('/nothing', null, { headers: { 'X-Request-Id': 'x'.repeat(65) } });
    expect(long.headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
    expect(long.headers.get('x-content-type-options')).to.equal('nosniff');
  });

  it('SE-1 a fault of ours is 500 INTERNAL with the request ID alone; the log has the error', async () => {
    api.stores.runs.session = () => Promise.reject(new Error('secret driver text'));
    const response = await api.fetch('/api/chat/session/s1/runs', 'ann');
    const text = await response.clone().text();
    const found = await problem(response);
    expect(found.code).to.equal('INTERNAL');
    expect(text).to.not.contain('secret').and.to.not.contain(' at ');
    expect(found.detail).to.contain(response.headers.get('x-request-id'));
    expect(api.lines.some(({ level, fields }) => level === 'error' && 'err' in fields)).to.equal(true);
  });

  it('an answer that its route does not declare fails the request in tests', async () => {
    const { runId } = await api.ask('ann');
    Object.assign(api.stores.runs.records.get(runId)!.view, { draft: 'unreleased' });
    expect((await problem(await api.fetch(`/api/runs/${runId}`, 'ann'))).code).to.equal('INTERNAL');
  });

  it('503 UNAVAILABLE with Retry-After while a store is away', async () => {
    api.stores.runs.away = true;
    const response = await api.fetch(`/api/runs/${RUN}`, 'root');
    const found = await problem(response);
    expect([found.code, response.headers.get('retry-after')]).to.deep.equal(['UNAVAILABLE', '5']);
    expect(found.detail).to.contain('MySQL');
  });

  it('a client that goes away in the middle of its body costs no answer and no fault', async () => {
    const { port } = new URL(api.server.url);
    const socket = connect(Number(port), '127.0.0.1');
    await new Promise((resolve) => socket.once('connect', resolve));
    socket.write(
      'POST /api/chat HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer token-ann\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    );
    await until(() => api.stores.runs.lookups > 0, 'the request is being served');
    socket.destroy();
    await until(() => api.lines.some(({ message }) => message === 'request'), 'the request is over');
    expect(api.lines.filter(({ level }) => level === 'error')).to.deep.equal([]);
  });
});
