/** The scripted model is strict: what a test did not foresee fails it. */
import { expect } from 'chai';
import { json, startScriptedModel, text, type ScriptedModel } from '../support/scripted-model.js';
import { clientOf, failureIn, never, replyOf, requestOf } from './model-case.js';

describe('RT-1 the scripted model', () => {
  let model: ScriptedModel;

  beforeEach(async () => {
    model = await startScriptedModel();
  });

  afterEach(() => model.close());

  async function ask(change: Parameters<typeof requestOf>[0] = {}): Promise<string> {
    const client = clientOf(model.url);
    try {
      const outcome = await client.complete(requestOf(change), never());
      return outcome.ok ? outcome.reply.content : outcome.failure.kind;
    } finally {
      await client.close();
    }
  }

  it('fails on an unscripted call', async () => {
    expect(await ask({ stage: 'router' })).to.equal('rejected');
    expect(() => model.assertConsumed()).to.throw('an unscripted call of router (attempt 1 of run-1)');
  });

  it('fails on a script that nobody asked for', async () => {
    model.next('router', text('a'), text('b'));
    expect(await ask({ stage: 'router' })).to.equal('a');
    expect(() => model.assertConsumed()).to.throw('an answer for router was not asked for');
    expect(() => model.assertConsumed()).not.to.throw();
  });

  it('answers each stage in order, and what no queued answer fits by the lasting one', async () => {
    model.always('diagnosis', (request) => json(request.attempt));
    model.next('diagnosis', text('a'), text('b'));
    model.next('router', text('r'));
    expect(await ask()).to.equal('a');
    expect(await ask({ stage: 'router' })).to.equal('r');
    expect(await ask()).to.equal('b');
    expect(await ask({ attempt: 2 })).to.equal('2');
    model.assertConsumed();
  });

  it('keeps Runs apart by a word of theirs or by their ID', async () => {
    model.only('why?').next('diagnosis', text('by word'));
    model.only('run-9').next('diagnosis', text('by Run'));
    expect(await ask({ runId: 'run-9', messages: [{ role: 'user', content: 'what?' }] })).to.equal('by Run');
    expect(await ask()).to.equal('by word');
    model.assertConsumed();
  });

  it('fails on a transcript that a careful endpoint refuses', async () => {
    const call = { id: 'c1', name: 'n', arguments: '{}' };
    const asked = { role: 'assistant', content: '', toolCalls: [call] } as const;
    const told = { role: 'tool', toolCallId: 'c1', content: '{}' } as const;
    const cases = [
      { messages: [], says: 'no messages' },
      { messages: [told], says: 'a tool message that answers no open call' },
      { messages: [asked], says: 'a tool call without its answer' },
      { messages: [asked, told, told], says: 'a tool message that answers no open call' },
      { messages: [{ ...asked, toolCalls: [call, call] }, told], says: 'two tool calls of one ID' },
      {
        messages: [asked, { role: 'user', content: 'and?' } as const, told],
        says: 'a tool call without its answer',
      },
    ];
    for (const { messages, says } of cases) {
      expect(await ask({ messages })).to.equal('rejected');
      expect(() => model.assertConsumed(), says).to.throw(says);
    }
    model.next('diagnosis', text('right'));
    expect(await ask({ messages: [asked, told, { role: 'user', content: 'and?' }] })).to.equal('right');
    model.assertConsumed();
  });

  it('fails on a script that throws', async () => {
    const client = clientOf(model.url);
    model.next('diagnosis', () => {
      throw new Error('the script is wrong');
    });
    expect(failureIn(await client.complete(requestOf(), never())).kind).to.equal('transport');
    expect(() => model.assertConsumed()).to.throw('the script is wrong');
    model.next('diagnosis', text('x'));
    expect(replyOf(await client.complete(requestOf(), never())).content).to.equal('x');
    await client.close();
  });
});
