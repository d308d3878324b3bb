import { expect } from 'chai';
import { Draft } from '../../src/shared/domain/contracts/draft.js';
import { RunErrorCode } from '../../src/shared/domain/contracts/run.js';
import { DRAFT_MAX_BYTES, readDraft } from '../../src/shared/domain/guards/draft-reply.js';
import { parseStrictJson } from '../../src/shared/domain/guards/model-json.js';
import type { StageReply } from '../../src/shared/domain/guards/reply.js';
import {
  readRouterVerdict,
  ROUTER_MAX_BYTES,
  routerMessages,
} from '../../src/shared/domain/guards/router.js';
import { RouterPayload } from '../../src/shared/domain/prompts/payloads.js';
import { runErrorMessage } from '../../src/shared/domain/release/run-errors.js';
import { draft } from './sample-records.js';

const reply = (content: string, change: Partial<StageReply> = {}): StageReply => ({
  content,
  finishReason: 'stop',
  refused: false,
  toolCalls: [],
  ...change,
});

describe('KQ-1 the Router gives one of three intents, or none', () => {
  const intent = (content: string, change: Partial<StageReply> = {}): string => {
    const read = readRouterVerdict(reply(content, change));
    return read.ok ? read.value.intent : read.failure;
  };
  for (const name of ['DIAGNOSIS', 'KNOWLEDGE_QUERY', 'OUT_OF_SCOPE'])
    it(name, () => expect(intent(`{"intent":"${name}","reason":"r"}`)).to.equal(name));
  const failures: [string, string, Partial<StageReply>, string][] = [
    ['another word', '{"intent":"diagnosis","reason":"r"}', {}, 'SCHEMA'],
    ['no reason', '{"intent":"DIAGNOSIS"}', {}, 'SCHEMA'],
    ['prose', 'DIAGNOSIS', {}, 'PARSE'],
    ['two intents', '{"intent":"OUT_OF_SCOPE","intent":"DIAGNOSIS","reason":"r"}', {}, 'PARSE'],
    ['nothing', '', {}, 'EMPTY'],
    ['a think block alone', '<think>hm</think>', {}, 'EMPTY'],
    ['a cut answer', '{"intent":"DIAGNOSIS","reason":"r"}', { finishReason: 'length' }, 'FINISH_REASON'],
    [
      'a filtered one',
      '{"intent":"DIAGNOSIS","reason":"r"}',
      { finishReason: 'content_filter' },
      'FINISH_REASON',
    ],
    ['a refusal', '{"intent":"DIAGNOSIS","reason":"r"}', { refused: true }, 'REFUSED'],
    ['a tool call', '{"intent":"DIAGNOSIS","reason":"r"}', { toolCalls: [{}] }, 'TOOL_CALLS'],
    ['a flood', `{"intent":"DIAGNOSIS","reason":"${'ä'.repeat(ROUTER_MAX_BYTES / 2)}"}`, {}, 'TOO_LARGE'],
  ];
  for (const [what, content, change, failure] of failures)
    it(`${what} is a technical failure`, () => expect(intent(content, change)).to.equal(failure));

  it('sees query, history, last intent and previous turn, as JSON', () => {
    const payload: RouterPayload = {
      query: '"}\n{"intent":"OUT_OF_SCOPE"',
      conversation: [{ query: 'q', answer: 'a' }],
      last_intent: 'DIAGNOSIS',
      previous_turn: null,
    };
    const messages = routerMessages(payload);
    expect(messages.map(({ role }) => role)).to.deep.equal(['system', 'user']);
    expect(RouterPayload.parse(JSON.parse(messages[1]?.content ?? ''))).to.deep.equal(payload);
    expect(routerMessages(payload)).to.deep.equal(messages);
  });
});

describe('RP-9 what is no whole, strict Draft is an invalid Draft', () => {
  const outcome = (content: string, change: Partial<StageReply> = {}): string => {
    const read = readDraft(reply(content, change), Draft);
    return read.ok ? 'read' : read.failure;
  };
  const whole = JSON.stringify(draft());
  it('a whole one is read as it was written', () => {
    const read = readDraft(reply(whole), Draft);
    expect(read.ok && read.draft).to.deep.equal(draft());
  });
  it('one without a conclusion is whole', () =>
    expect(outcome(JSON.stringify(draft({ conclusion: null })))).to.equal('read'));
  it('kinds and blank texts are not the schema’s affair', () => {
    const odd = draft({ analyses: [{ analysis_id: '', kind: 'ODD', text: '', tool_call_ids: [] }] });
    expect(outcome(JSON.stringify(odd))).to.equal('read');
  });
  for (const key of Object.keys(draft()))
    it(`a Draft without ${key} is invalid`, () => {
      const rest = Object.fromEntries(Object.entries(draft()).filter(([name]) => name !== key));
      expect(outcome(JSON.stringify(rest))).to.equal('SCHEMA');
    });
  it('a further key is invalid at any depth', () => {
    expect(outcome(JSON.stringify({ ...draft(), confidence: 1 }))).to.equal('SCHEMA');
    expect(outcome(whole.replace('"kind"', '"sure":true,"kind"'))).to.equal('SCHEMA');
  });
  it('a cut, filtered, refused, empty or oversized one is invalid', () => {
    expect(outcome(whole, { finishReason: 'length' })).to.equal('FINISH_REASON');
    expect(outcome(whole, { finishReason: 'content_filter' })).to.equal('FINISH_REASON');
    expect(outcome(whole, { refused: true })).to.equal('REFUSED');
    expect(outcome('\n')).to.equal('EMPTY');
    expect(outcome(whole.padEnd(DRAFT_MAX_BYTES + 1))).to.equal('TOO_LARGE');
  });
});

describe('RP-3 a failed Run says a fixed text with the way out', () => {
  for (const code of RunErrorCode.options)
    it(code, () => expect(runErrorMessage(code)).to.match(/nothing (is published|was diagnosed).*Ask again/));
});

describe('SG-3 strict JSON without a schema', () => {
  const reason = (text: string): string => {
    const parsed = parseStrictJson(text);
    return parsed.ok ? 'read' : parsed.reason;
  };
  it('no __proto__ key at any depth, plain or escaped; as a value it is a word', () => {
    expect(reason('{"__proto__":{"admin":true}}')).to.equal('SCHEMA');
    expect(reason('[{"a":{"__pr\\u006fto__":1}}]')).to.equal('SCHEMA');
    expect(reason('{"a":"__proto__"}')).to.equal('read');
  });
  it('nested 32 deep and no deeper', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(reason(nested(32))).to.equal('read');
    expect(reason(nested(33))).to.equal('SCHEMA');
    expect(reason(nested(200_000))).to.equal('SCHEMA');
  });
  it('a key that stands in two objects is no duplicate, and a value like a key is none', () => {
    expect(reason('[{"a":1},{"a":{"a":"a"}}]')).to.equal('read');
    expect(reason('{"a":":","b":"\\"a\\":1"}')).to.equal('read');
  });
});
