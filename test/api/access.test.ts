/** Who may do what: tokens, roles, sessions, and browsers. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { ADMIN_TOKEN, TestApi, TOKENS, type Person } from './support/test-api.js';

async function code(response: Response): Promise<string> {
  return response.ok ? 'ok' : ((await response.json()) as { code: string }).code;
}

describe('SE-1 tokens and roles', () => {
  let api: TestApi;
  beforeEach(async () => {
    api = await TestApi.start({
      dashboard: (ctx) => {
        ctx.body = 'board';
      },
    });
  });
  afterEach(() => api.close());

  it('401 without a token, with an unknown one, and with a header that is none', async () => {
    for (const value of [
      null,
      'Bearer nobody',
      'Bearer',
      'Bearer a b',
      'Token x',
      `Basic ${btoa('no-colon')}`,
      `Basic ${btoa('ann:')}`,
    ]) {
      const response = await api.fetch('/api/openapi-less', null);
      expect(response.status).to.equal(404);
      const init = value === null ? {} : { headers: { Authorization: value } };
      const refused = await api.fetch('/api/chat/session/s/runs', null, init);
      expect(await code(refused), String(value)).to.equal('UNAUTHENTICATED');
      expect(refused.headers.get('www-authenticate')).to.equal('Bearer realm="sworn"');
    }
  });

  it('a browser is asked for Basic, a program is not', async () => {
    const page = await api.fetch('/admin/queues', null, {
      headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
    });
    expect([page.status, page.headers.get('www-authenticate')]).to.deep.equal([401, 'Basic realm="sworn"']);
  });

  it('healthz, readyz, the document and the root are open; all else is not', async () => {
    for (const path of ['/healthz', '/readyz', '/api/openapi.json', '/'])
      expect((await api.fetch(path, null)).status, path).to.equal(200);
    for (const path of [
      '/api/runs/x',
      '/api/runs/x/events',
      '/api/chat/session/s/runs',
      '/api/diagnosis/s/trace',
      '/admin/queues',
      '/admin/queues/api/queues',
    ])
      expect((await api.fetch(path, null)).status, path).to.equal(401);
    expect((await api.post('/api/chat', null, { query: 'a' })).status).to.equal(401);
    expect((await api.post('/api/runs/x/cancel', null, '')).status).to.equal(401);
  });

  it('a viewer reads and starts nothing; an operator starts; the admin token does all', async () => {
    expect(await code(await api.post('/api/chat', 'vic', { query: 'a' }))).to.equal('FORBIDDEN');
    expect(await code(await api.post('/api/chat', 'ann', { query: 'a' }))).to.equal('ok');
    expect(await code(await api.post('/api/chat', 'root', { query: 'a' }))).to.equal('ok');
    const { runId } = await api.ask('ann', { visibility: 'shared' });
    expect(await code(await api.fetch(`/api/runs/${runId}`, 'vic'))).to.equal('ok');
    expect(await code(await api.post(`/api/runs/${runId}/cancel`, 'vic', ''))).to.equal('FORBIDDEN');
    expect(api.stores.runs.records.get(runId)?.view.cancelRequestedAt).to.equal(null);
  });

  it('a body is not read for a caller who is refused', async () => {
    expect(await code(await api.post('/api/chat', 'vic', '{broken'))).to.equal('FORBIDDEN');
  });

  it('FL-6 the dashboard: nobody without a token, a viewer not, an operator reads, an admin acts', async () => {
    const get = (person: Person | null): Promise<Response> => api.fetch('/admin/queues', person);
    const put = (person: Person): Promise<Response> =>
      api.fetch('/admin/queues/api/queues/runs/pause', person, { method: 'PUT' });
    expect((await get(null)).status).to.equal(401);
    expect((await get('vic')).status).to.equal(403);
    const page = await get('ann');
    expect([page.status, await page.text()]).to.deep.equal([200, 'board']);
    expect(page.headers.get('content-security-policy')).to.contain("default-src 'self'");
    expect((await put('ann')).status).to.equal(403);
    expect((await put('root')).status).to.equal(200);
    for (const path of ['/admin/queuesx', '/admin/Queues', '/admin//queues', '/admin/queues%2fapi'])
      expect(await (await api.fetch(path, null)).text(), path).to.not.contain('board');
  });

  it('a revoked token is dead within seconds, and lookups are not made for each request', async () => {
    let now = Date.now();
    const stores = api.stores;
    const hash = createHash('sha256').update(TOKENS.vic).digest('hex');
    const clock = { now: () => new Date(now) };
    const { createAuthenticator } = await import('../../src/api/middleware/authenticate.js');
    const authenticator = createAuthenticator({ tokens: stores.runs, adminToken: undefined, clock });
    const request = {
      method: 'GET',
      get: (name: string) => (name === 'Authorization' ? `Bearer ${TOKENS.vic}` : ''),
      accepts: () => 'json',
    } as unknown as Parameters<typeof authenticator.require>[0];
    const who = await authenticator.require(request, 'viewer');
    await authenticator.require(request, 'viewer');
    expect(stores.runs.lookups).to.equal(1);
    stores.runs.tokens.delete(hash);
    now += 2000;
    expect(await who.stillValid()).to.equal(false);
    const refusal: unknown = await authenticator.require(request, 'viewer').catch((error: unknown) => error);
    expect(refusal).to.have.property('code', 'UNAUTHENTICATED');
  });

  describe('HTTP Basic, for browsers', () => {
    const basic = (token: string): string => `Basic ${btoa(`anyone:${token}`)}`;
    const chat = (headers: Record<string, string>): Promise<Response> =>
      api.post('/api/chat', null, { query: 'a' }, { Authorization: basic(TOKENS.ann), ...headers });

    it('the password is the token', async () => {
      const response = await api.fetch('/api/chat/session/none/runs', null, {
        headers: { Authorization: basic(ADMIN_TOKEN) },
      });
      expect(await code(response)).to.equal('NOT_FOUND');
    });

    it('a write needs the word of the browser that it comes from this origin', async () => {
      const { host, origin } = new URL(api.server.url);
      expect(await code(await chat({}))).to.equal('FORBIDDEN');
      expect(await code(await chat({ Origin: 'https://evil.example' }))).to.equal('FORBIDDEN');
      expect(await code(await chat({ Origin: 'null' }))).to.equal('FORBIDDEN');
      expect(await code(await chat({ Origin: origin }))).to.equal('ok');
      expect(await code(await chat({ Origin: `https://${host}` }))).to.equal('ok');
    });
  });
});

describe('SR-1 sessions belong to the principal that started them', () => {
  let api: TestApi;
  beforeEach(async () => {
    api = await TestApi.start();
  });
  afterEach(() => api.close());

  /** What each may do with Ann's session: read it, continue it, cancel a Run of it. */
  const matrix: Record<'private' | 'shared', Record<Person, [read: string, go: string, cancel: string]>> = {
    private: {
      ann: ['ok', 'ok', 'ok'],
      bob: ['NOT_FOUND', 'NOT_FOUND', 'NOT_FOUND'],
      vic: ['NOT_FOUND', 'FORBIDDEN', 'FORBIDDEN'],
      root: ['ok', 'FORBIDDEN', 'ok'],
    },
    shared: {
      ann: ['ok', 'ok', 'ok'],
      bob: ['ok', 'ok', 'ok'],
      vic: ['ok', 'FORBIDDEN', 'FORBIDDEN'],
      root: ['ok', 'ok', 'ok'],
    },
  };
  for (const visibility of ['private', 'shared'] as const) {
    for (const person of ['ann', 'bob', 'vic', 'root'] as const) {
      it(`${visibility}: what ${person} may do with it`, async () => {
        const { runId, sessionId } = await api.ask('ann', { visibility });
        const [read, go, cancel] = matrix[visibility][person];
        for (const path of [
          `/api/runs/${runId}`,
          `/api/chat/session/${sessionId}/runs`,
          `/api/diagnosis/${sessionId}/trace`,
          `/api/diagnosis/${sessionId}/trace?runId=${runId}`,
        ])
          expect(await code(await api.fetch(path, person)), path).to.equal(read);
        const events = await api.fetch(`/api/runs/${runId}/events`, person, { method: 'HEAD' });
        expect(events.status).to.equal(read === 'ok' ? 200 : 404);
        const more = await api.post('/api/chat', person, { query: 'b', sessionId });
        expect(await code(more)).to.equal(go);
        expect(await code(await api.post(`/api/runs/${runId}/cancel`, person, ''))).to.equal(cancel);
      });
    }
  }

  it('404 when somebody else’s private session of that name came into being meanwhile', async () => {
    api.stores.runs.session = () => Promise.resolve(null);
    await api.ask('bob', { sessionId: 'same' });
    expect(await code(await api.post('/api/chat', 'ann', { query: 'a', sessionId: 'same' }))).to.equal(
      'NOT_FOUND',
    );
    expect(api.stores.queue.jobs).to.have.length(1);
  });
});
