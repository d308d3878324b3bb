/** What an endpoint that cannot be used leads to: a kind, and a detail that an operator can act on. */
import { expect } from 'chai';
import { createServer, type AddressInfo } from 'node:net';
import type { ClosableModelClient } from '../../src/shared/adapters/openai/model-client.js';
import { parts, raw, startScriptedModel, text, type ScriptedModel } from '../support/scripted-model.js';
import { clientOf, failureIn, KEY, never, requestOf } from './model-case.js';

describe('RT-1 failures of the endpoint', () => {
  let model: ScriptedModel;
  let client: ClosableModelClient;

  before(async () => {
    model = await startScriptedModel();
    client = clientOf(model.url);
  });

  afterEach(() => {
    model.assertConsumed();
  });

  after(async () => {
    await client.close();
    await model.close();
  });

  const SECRET_BODY = JSON.stringify({ error: { message: `bad key ${KEY}` } });

  it('rejects what no retry mends, names what to check, and repeats neither key nor body', async () => {
    const named: [number, string][] = [
      [301, 'OPENAI_BASE_URL'],
      [307, 'OPENAI_BASE_URL'],
      [400, 'OPENAI_MODEL'],
      [401, 'OPENAI_API_KEY'],
      [402, 'OPENAI_API_KEY'],
      [403, 'OPENAI_API_KEY'],
      [404, 'OPENAI_BASE_URL and OPENAI_MODEL'],
      [405, 'OPENAI_BASE_URL'],
      [413, 'OPENAI_MODEL'],
      [422, 'OPENAI_MODEL'],
      [451, 'status 451'],
    ];
    for (const [status, names] of named) {
      model.next('diagnosis', raw(status, SECRET_BODY, { location: `${model.url}/elsewhere` }));
      const failure = failureIn(await client.complete(requestOf(), never()));
      expect(failure, String(status)).to.have.all.keys('kind', 'detail').and.include({ kind: 'rejected' });
      expect(failure.detail)
        .to.contain(new URL(model.url).host)
        .and.contain(`status ${status}`)
        .and.contain(names);
      expect(failure.detail).not.to.contain(KEY);
    }
    expect(model.requests).to.have.length(named.length);
  });

  it('makes one request per attempt, whatever the endpoint asks for', async () => {
    for (const status of [408, 409, 429, 500, 502, 503, 504, 529]) {
      model.next('diagnosis', raw(status, SECRET_BODY, { 'x-should-retry': 'true' }));
      const failure = failureIn(await client.complete(requestOf(), never()));
      expect(failure, String(status)).to.have.all.keys('kind', 'detail').and.include({ kind: 'transport' });
      expect(failure.detail).to.contain(`status ${status}`).and.not.to.contain(KEY);
    }
    expect(model.requests).to.have.length(8);
  });

  it('passes Retry-After on, bounded', async () => {
    model.next('diagnosis', raw(429, '', { 'retry-after': '2' }), raw(503, '', { 'retry-after': '86400' }));
    expect(failureIn(await client.complete(requestOf(), never()))).to.include({ retryAfterMs: 2000 });
    expect(failureIn(await client.complete(requestOf(), never()))).to.include({ retryAfterMs: 600_000 });
    const date = new Date(Date.now() + 60_000).toUTCString();
    model.next('diagnosis', raw(429, '', { 'retry-after': date }));
    expect(failureIn(await client.complete(requestOf(), never())).retryAfterMs).to.be.within(0, 60_000);
  });

  it('does not wait for the body of an error', async () => {
    model.next('diagnosis', parts(['{"error"'], { status: 500, headers: {}, end: 'open' }));
    expect(failureIn(await client.complete(requestOf(), never()))).to.include({ kind: 'transport' });
    await model.requests.at(-1)!.closed;
  });

  it('takes a refused connection for a transport failure', async () => {
    const unused = await closedPort();
    const elsewhere = clientOf(`http://127.0.0.1:${unused}/v1`);
    const failure = failureIn(await elsewhere.complete(requestOf(), never()));
    expect(failure.kind).to.equal('transport');
    expect(failure.detail).to.equal(`127.0.0.1:${unused}: ECONNREFUSED; check OPENAI_BASE_URL`);
    await elsewhere.close();
  });

  it('takes a name that does not resolve for a transport failure', async () => {
    const elsewhere = clientOf('http://model.invalid/v1');
    const failure = failureIn(await elsewhere.complete(requestOf(), never()));
    expect(failure).to.include({ kind: 'transport' });
    expect(failure.detail).to.match(/^model\.invalid: E[A-Z_]+; check OPENAI_BASE_URL$/);
    await elsewhere.close();
  });

  it('takes a connection that is reset, or closed without an answer, for a transport failure', async () => {
    for (const end of ['resetAndDestroy', 'destroy'] as const) {
      const server = createServer((socket) => {
        socket.once('data', () => socket[end]());
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { port } = server.address() as AddressInfo;
      const elsewhere = clientOf(`http://127.0.0.1:${port}/v1`);
      expect(failureIn(await elsewhere.complete(requestOf(), never())), end).to.include({
        kind: 'transport',
      });
      await elsewhere.close();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('takes an endpoint that speaks something else than HTTP for a transport failure', async () => {
    const server = createServer((socket) => {
      // A broken handshake resets the connection.
      socket.on('error', () => undefined);
      socket.resume().end('SSH-2.0-OpenSSH_9.2\r\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    for (const scheme of ['http', 'https']) {
      const elsewhere = clientOf(`${scheme}://127.0.0.1:${port}/v1`);
      expect(failureIn(await elsewhere.complete(requestOf(), never())), scheme).to.include({
        kind: 'transport',
      });
      await elsewhere.close();
    }
    await new Promise((resolve) => server.close(resolve));
  });

  it('rejects a request that cannot be made, and says nothing of the key', async () => {
    const secret = 'sk-line\nbreak';
    const odd = clientOf(model.url);
    model.next('diagnosis', text('x'));
    expect((await odd.complete(requestOf(), never())).ok).to.equal(true);
    const failure = failureIn(await odd.complete(requestOf({ runId: secret }), never()));
    expect(failure).to.include({ kind: 'rejected' });
    expect(failure.detail).not.to.contain('sk-line');
    await odd.close();
  });
});

/** A port of loopback on which nobody listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
