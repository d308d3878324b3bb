/** How a call ends before its answer does, and what it leaves behind: nothing. */
import { expect } from 'chai';
import { getEventListeners } from 'node:events';
import type { ClosableModelClient } from '../../src/shared/adapters/openai/model-client.js';
import type { ModelOutcome } from '../../src/shared/ports/model-client.js';
import { hang, parts, raw, startScriptedModel, text, type ScriptedModel } from '../support/scripted-model.js';
import { until } from '../support/until.js';
import { clientOf, failureIn, never, replyOf, requestOf, type ClientChange } from './model-case.js';

const chunk = (content: string): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;

describe('CA-1 the end of a model call', () => {
  let model: ScriptedModel;
  let clients: ClosableModelClient[] = [];

  beforeEach(async () => {
    model = await startScriptedModel();
  });

  afterEach(async () => {
    await Promise.all(clients.map((client) => client.close()));
    clients = [];
    model.assertConsumed();
    await model.close();
  });

  function open(change: ClientChange = {}): ClosableModelClient {
    const client = clientOf(model.url, change);
    clients.push(client);
    return client;
  }

  /** Aborts once the request has arrived and the endpoint has sent what it will. */
  async function cancelled(client: ClosableModelClient): Promise<ModelOutcome> {
    const controller = new AbortController();
    const outcome = client.complete(requestOf(), controller.signal);
    await until('the request to arrive', () => model.requests.length > 0);
    controller.abort();
    return outcome;
  }

  for (const stream of [true, false]) {
    describe(stream ? 'streamed' : 'whole', () => {
      it('cancels a call that waits for its answer, and closes the connection', async () => {
        model.next('diagnosis', hang());
        expect(failureIn(await cancelled(open({ stream }))).kind).to.equal('cancelled');
        await model.requests[0]!.closed;
      });

      it('cancels a call in the middle of its answer, and closes the connection', async () => {
        model.next('diagnosis', parts([chunk('half')], { end: 'open' }));
        expect(failureIn(await cancelled(open({ stream }))).kind).to.equal('cancelled');
        await model.requests[0]!.closed;
      });

      it('SG-6 cancels a call whose answer is whole but whose stream is not', async () => {
        const whole = chunk('all').replace('"finish_reason":null', '"finish_reason":"stop"');
        model.next('diagnosis', parts([whole], { end: 'open' }));
        const controller = new AbortController();
        const outcome = open({ stream }).complete(requestOf(), controller.signal);
        await until('the request to arrive', () => model.requests.length > 0);
        await until('the answer to be read', after(100));
        controller.abort();
        expect(failureIn(await outcome).kind).to.equal('cancelled');
        await model.requests[0]!.closed;
      });

      it('BU-1 ends a call that is never answered at its timeout, and closes the connection', async () => {
        model.next('diagnosis', hang());
        const outcome = await open({ stream }).complete(requestOf({ timeoutMs: 150 }), never());
        expect(failureIn(outcome).kind).to.equal('timeout');
        await model.requests[0]!.closed;
      });

      it('BU-1 ends a call whose answer never ends at its timeout', async () => {
        model.next('diagnosis', parts(['{"choices": ['], { end: 'open', headers: {} }));
        const outcome = await open({ stream }).complete(requestOf({ timeoutMs: 150 }), never());
        expect(failureIn(outcome).kind).to.equal('timeout');
        await model.requests[0]!.closed;
      });

      it('uses its connections again, so that calls one after another need one or two', async () => {
        const client = open({ stream });
        model.always('diagnosis', text('x'));
        for (let call = 0; call < 20; call += 1) replyOf(await client.complete(requestOf(), never()));
        // A call may begin while the connection of the one before is being given back.
        expect(model.connections()).to.be.within(1, 2);
      });

      it('leaves no listener on a signal over 1,000 calls', async function () {
        this.timeout(60_000);
        const client = open({ stream });
        const { signal } = new AbortController();
        model.always('diagnosis', ({ attempt }) => (attempt % 3 === 0 ? raw(503, '') : text('x')));
        for (let round = 0; round < 100; round += 1) {
          const calls = Array.from({ length: 10 }, (_, at) =>
            client.complete(requestOf({ attempt: at + 1 }), signal),
          );
          await Promise.all(calls);
          expect(getEventListeners(signal, 'abort')).to.have.length(0);
        }
        expect(model.requests).to.have.length(1000);
      });
    });
  }

  it('BU-1 ends a stream that falls silent after its first chunk', async () => {
    model.next('diagnosis', parts([chunk('half')], { end: 'open' }));
    const outcome = await open({ idleTimeoutMs: 100 }).complete(requestOf(), never());
    expect(failureIn(outcome)).to.include({ kind: 'timeout' });
    expect(failureIn(outcome).detail).to.contain('stopped coming');
    await model.requests[0]!.closed;
  });

  it('BU-1 lets the first chunk take longer than the idle time, with or without signs of life', async () => {
    const done = chunk('late').replace('"finish_reason":null', '"finish_reason":"stop"');
    const client = open({ idleTimeoutMs: 100 });
    model.next('diagnosis', async () => {
      await until('the idle time to pass', after(300));
      return parts([done]);
    });
    expect(replyOf(await client.complete(requestOf(), never())).content).to.equal('late');
    model.next('diagnosis', parts([': thinking\n\n'], { end: 'open' }));
    const outcome = await client.complete(requestOf({ timeoutMs: 400 }), never());
    expect(failureIn(outcome).detail).to.contain('no whole answer in time');
  });

  it('makes no request when there is no time, or when it was cancelled before', async () => {
    const client = open();
    for (const timeoutMs of [0, -5])
      expect(failureIn(await client.complete(requestOf({ timeoutMs }), never())).kind).to.equal('timeout');
    expect(failureIn(await client.complete(requestOf(), AbortSignal.abort())).kind).to.equal('cancelled');
    expect(model.requests).to.have.length(0);
    expect(model.connections()).to.equal(0);
  });

  it('takes a time longer than any timer', async () => {
    model.next('diagnosis', text('x'));
    expect(replyOf(await open().complete(requestOf({ timeoutMs: 1e12 }), never())).content).to.equal('x');
  });

  it('ends calls in flight, and later ones, as cancelled when it is closed', async () => {
    const client = open();
    model.next('diagnosis', hang(), parts([chunk('half')], { end: 'open' }));
    const calls = [1, 2].map(() => client.complete(requestOf(), never()));
    await until('both requests to arrive', () => model.requests.length === 2);
    await client.close();
    for (const call of calls) expect(failureIn(await call).kind).to.equal('cancelled');
    await Promise.all(model.requests.map(({ closed }) => closed));
    expect(failureIn(await client.complete(requestOf(), never())).kind).to.equal('cancelled');
    expect(model.requests).to.have.length(2);
    await client.close();
  });

  it('closes its idle connections', async () => {
    const client = open();
    model.next('diagnosis', text('x'));
    replyOf(await client.complete(requestOf(), never()));
    expect(await model.openConnections()).to.equal(1);
    await client.close();
    await until('the connection to close', async () => (await model.openConnections()) === 0);
  });
});

function after(ms: number): () => boolean {
  const began = performance.now();
  return () => performance.now() - began >= ms;
}
