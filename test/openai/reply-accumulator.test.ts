import { expect } from 'chai';
import fc from 'fast-check';
import { ReplyAccumulator, type Finished } from '../../src/shared/adapters/openai/reply-accumulator.js';
import type { ModelReply } from '../../src/shared/ports/model-client.js';

function whole(
  message: unknown,
  finishReason: unknown = 'stop',
  more: object = {},
  maxBytes = 1000,
): Finished {
  const accumulator = new ReplyAccumulator(maxBytes);
  accumulator.addWhole({
    model: 'm',
    choices: [{ index: 0, message, finish_reason: finishReason }],
    ...more,
  });
  return accumulator.finish();
}

function streamed(chunks: readonly unknown[], maxBytes = 1000): Finished {
  const accumulator = new ReplyAccumulator(maxBytes);
  for (const chunk of chunks) accumulator.addChunk(chunk);
  return accumulator.finish();
}

const delta = (value: unknown, finishReason: unknown = null): unknown => ({
  choices: [{ index: 0, delta: value, finish_reason: finishReason }],
});

function replied(finished: Finished): ModelReply {
  if (!finished.ok) expect.fail(finished.detail);
  return finished.reply;
}

function detailOf(finished: Finished): string {
  if (finished.ok) expect.fail('there was a reply');
  return finished.detail;
}

describe('a reply has a defined outcome whatever the provider sends', () => {
  it('reads content as text, null, empty, missing or a list of parts', () => {
    const contents: [unknown, string][] = [
      ['text', 'text'],
      [null, ''],
      ['', ''],
      [undefined, ''],
      [42, ''],
      [[{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }, 'c', null, 7], 'abc'],
      [[{ type: 'output_text', text: 'a' }, { text: 'b' }], 'ab'],
      [
        [
          { type: 'thinking', text: 'hidden' },
          { type: 'text', text: { value: 'odd' } },
        ],
        '',
      ],
    ];
    for (const [content, text] of contents) {
      expect(replied(whole({ content })).content, JSON.stringify(content)).to.equal(text);
      expect(replied(streamed([delta({ content }, 'stop')])).content).to.equal(text);
    }
  });

  it('leaves reasoning out', () => {
    const message = { content: 'said', reasoning_content: 'thought', reasoning: 'thought' };
    expect(replied(whole(message)).content).to.equal('said');
    expect(
      replied(streamed([delta({ reasoning_content: 'thought' }), delta({ content: 'said' }, 'stop')]))
        .content,
    ).to.equal('said');
  });

  it('knows each finish_reason, and refuses what it does not know', () => {
    const known: [string, string][] = [
      ['stop', 'stop'],
      ['length', 'length'],
      ['content_filter', 'content_filter'],
      ['tool_calls', 'tool_calls'],
      ['function_call', 'tool_calls'],
    ];
    for (const [sent, meant] of known) {
      expect(replied(whole({ content: 'x' }, sent)).finishReason).to.equal(meant);
      expect(replied(streamed([delta({ content: 'x' }), delta({}, sent)])).finishReason).to.equal(meant);
    }
    expect(detailOf(whole({ content: 'x' }, 'eos'))).to.equal("the answer's finish_reason is unknown (eos)");
    expect(detailOf(whole({ content: 'x' }, 'constructor'))).to.contain('unknown');
    expect(detailOf(whole({ content: 'x' }, 'said by <the model>'))).to.equal(
      "the answer's finish_reason is unknown",
    );
  });

  it('is no answer without a finish_reason', () => {
    for (const missing of [null, '', 7]) {
      expect(detailOf(whole({ content: 'x' }, missing))).to.contain('without a finish_reason');
      expect(detailOf(streamed([delta({ content: 'x' }, missing)]))).to.contain('without a finish_reason');
    }
    expect(detailOf(streamed([]))).to.contain('without a finish_reason');
  });

  it('takes stop beside tool calls for tool_calls, and nothing else for it', () => {
    const message = { content: null, tool_calls: [{ id: 'a', function: { name: 'n', arguments: '{}' } }] };
    expect(replied(whole(message, 'stop')).finishReason).to.equal('tool_calls');
    expect(replied(whole(message, 'length')).finishReason).to.equal('length');
    expect(replied(whole({ content: 'x', tool_calls: [] }, 'stop')).finishReason).to.equal('stop');
    expect(replied(whole({ content: 'x', tool_calls: null }, 'stop')).toolCalls).to.deep.equal([]);
  });

  it('SG-2 an answer that was cut or withheld stays so, whatever a later chunk says', () => {
    for (const reason of ['length', 'content_filter'])
      expect(replied(streamed([delta({ content: 'x' }, reason), delta({}, 'stop')])).finishReason).to.equal(
        reason,
      );
  });

  it('reads a legacy function_call as a call without an ID', () => {
    const expected = [{ id: '', name: 'log_search', arguments: '{"x":1}' }];
    const message = { content: null, function_call: { name: 'log_search', arguments: '{"x":1}' } };
    expect(replied(whole(message, 'function_call')).toolCalls).to.deep.equal(expected);
    const pieces = [{ name: 'log_search', arguments: '' }, { arguments: '{"x"' }, { arguments: ':1}' }];
    const chunks = pieces.map((piece) => delta({ function_call: piece }));
    expect(replied(streamed([...chunks, delta({}, 'function_call')])).toolCalls).to.deep.equal(expected);
  });

  it('says that the model refused', () => {
    expect(replied(whole({ content: null, refusal: 'no' })).refused).to.equal(true);
    expect(replied(streamed([delta({ refusal: 'n' }), delta({}, 'stop')])).refused).to.equal(true);
    expect(replied(whole({ content: [{ type: 'refusal', refusal: 'no' }] })).refused).to.equal(true);
    expect(replied(whole({ content: 'yes', refusal: null })).refused).to.equal(false);
    expect(replied(whole({ content: 'yes', refusal: '' })).refused).to.equal(false);
  });

  it('counts usage when it is whole, in whatever chunk it comes', () => {
    const usage = { prompt_tokens: 11, completion_tokens: 7 };
    const counted = { promptTokens: 11, completionTokens: 7 };
    expect(replied(whole({ content: 'x' }, 'stop', { usage })).usage).to.deep.equal(counted);
    expect(replied(streamed([delta({ content: 'x' }, 'stop'), { choices: [], usage }])).usage).to.deep.equal(
      counted,
    );
    for (const odd of [null, {}, { prompt_tokens: 1 }, { prompt_tokens: -1, completion_tokens: 1 }, 'many'])
      expect(replied(whole({ content: 'x' }, 'stop', { usage: odd })).usage, JSON.stringify(odd)).to.equal(
        null,
      );
    expect(
      replied(whole({ content: 'x' }, 'stop', { usage: { prompt_tokens: 1.5, completion_tokens: 1e300 } }))
        .usage,
    ).to.equal(null);
  });

  it('reads the first choice alone', () => {
    const other = { index: 1, delta: { content: 'other' }, finish_reason: 'length' };
    const first = { index: 0, delta: { content: 'first' }, finish_reason: 'stop' };
    const reply = replied(streamed([{ choices: [other, first] }, { choices: [other] }]));
    expect(reply).to.include({ content: 'first', finishReason: 'stop' });
    expect(
      replied(streamed([{ choices: [{ delta: { content: 'bare' }, finish_reason: 'stop' }] }])).content,
    ).to.equal('bare');
  });

  it('fails on an error under a status of success, even after the answer', () => {
    expect(detailOf(whole({ content: 'x' }, 'stop', { error: { message: 'overloaded' } }))).to.contain(
      'an error came',
    );
    expect(detailOf(streamed([delta({ content: 'x' }, 'stop'), { error: 'late' }]))).to.contain(
      'an error came',
    );
    expect(replied(whole({ content: 'x' }, 'stop', { error: null })).content).to.equal('x');
  });

  it('fails on what is longer than allowed, in UTF-8 bytes of content and calls', () => {
    expect(replied(whole({ content: 'é'.repeat(5) }, 'stop', {}, 10)).content).to.equal('ééééé');
    expect(detailOf(whole({ content: 'é'.repeat(5) }, 'stop', {}, 9))).to.equal(
      'the answer is longer than 9 bytes',
    );
    const call = { id: 'a', function: { name: 'n', arguments: 'x'.repeat(8) } };
    expect(replied(whole({ tool_calls: [call] }, 'stop', {}, 10)).toolCalls).to.have.length(1);
    expect(detailOf(whole({ tool_calls: [call] }, 'stop', {}, 9))).to.contain('longer than 9 bytes');
    expect(
      detailOf(
        streamed(
          ['12345', '67890', 'x'].map((content) => delta({ content }, 'stop')),
          10,
        ),
      ),
    ).to.contain('longer than 10');
  });

  it('fails on more tool calls than any model means', () => {
    const many = (count: number): unknown[] =>
      Array.from({ length: count }, () => ({ id: '', function: { name: '' } }));
    expect(replied(whole({ tool_calls: many(128) })).toolCalls).to.have.length(128);
    expect(detailOf(whole({ tool_calls: many(129) }))).to.contain('more than 128 tool calls');
  });

  it('never throws, and gives a well-formed reply or a detail, for any JSON', () => {
    const shaped = fc.record({
      choices: fc.array(
        fc.record({
          index: fc.jsonValue(),
          delta: fc.jsonValue(),
          message: fc.jsonValue(),
          finish_reason: fc.jsonValue(),
        }),
      ),
      usage: fc.jsonValue(),
      model: fc.jsonValue(),
    });
    fc.assert(
      fc.property(fc.array(fc.oneof(shaped, fc.jsonValue())), fc.boolean(), (answers, stream) => {
        const accumulator = new ReplyAccumulator(200);
        for (const one of answers)
          if (stream) accumulator.addChunk(one);
          else accumulator.addWhole(one);
        const finished = accumulator.finish();
        if (finished.ok) expect(finished.reply.content).to.be.a('string');
        else expect(finished.detail).not.to.equal('');
      }),
    );
  });
});
