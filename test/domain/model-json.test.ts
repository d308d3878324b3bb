import { expect } from 'chai';
import fc from 'fast-check';
import { z } from 'zod';
import { SemanticVerdict } from '../../src/shared/domain/contracts/verdict.js';
import { decodeModelJson, parseStrictJson } from '../../src/shared/domain/guards/model-json.js';
import { readVerdict } from '../../src/shared/domain/guards/semantic.js';

const VERDICT = '{"verdict":"SUPPORTED","reason":"it holds"}';
const outcome = (text: string): string => {
  const decoded = decodeModelJson(text, SemanticVerdict);
  return decoded.ok ? decoded.value.verdict : decoded.reason;
};

describe('SG-3 the one decoder of model JSON', () => {
  const accepted: [string, string][] = [
    ['plain', VERDICT],
    ['outer white space', ` \r\n\t${VERDICT}\n`],
    ['one leading think block', `<think>UNSUPPORTED? {"verdict":1}</think>\n${VERDICT}`],
    ['an enclosing fence', `\`\`\`json\n${VERDICT}\n\`\`\``],
    ['a nameless fence after a think block', `<think></think>\`\`\`\n${VERDICT}\n\`\`\``],
  ];
  for (const [what, text] of accepted) it(`takes ${what}`, () => expect(outcome(text)).to.equal('SUPPORTED'));

  const refused: [string, string, string][] = [
    ['nothing', '  ', 'EMPTY'],
    ['prose before', `Here it is: ${VERDICT}`, 'SYNTAX'],
    ['prose after', `${VERDICT} I am sure.`, 'SYNTAX'],
    ['two objects', `${VERDICT}${VERDICT}`, 'SYNTAX'],
    ['a trailing comma', '{"verdict":"SUPPORTED","reason":"x",}', 'SYNTAX'],
    ['NaN', '{"verdict":NaN,"reason":"x"}', 'SYNTAX'],
    ['single quotes', "{'verdict':'SUPPORTED','reason':'x'}", 'SYNTAX'],
    ['a byte order mark', `\uFEFF${VERDICT}`, 'SYNTAX'],
    ['an open think block', `<think>hm ${VERDICT}`, 'SYNTAX'],
    ['a think block in the middle', `${VERDICT}<think></think>`, 'SYNTAX'],
    ['an open fence', `\`\`\`json\n${VERDICT}`, 'SYNTAX'],
    [
      'a verdict overwritten by a later one',
      '{"verdict":"UNSUPPORTED","reason":"x","verdict":"SUPPORTED"}',
      'DUPLICATE_KEY',
    ],
    [
      'an escaped twin key',
      '{"verdict":"UNSUPPORTED","reason":"x","\\u0076erdict":"SUPPORTED"}',
      'DUPLICATE_KEY',
    ],
    ['a duplicate key deep down', '{"a":[{"b":1,"b":1}]}', 'DUPLICATE_KEY'],
    ['a further key', '{"verdict":"SUPPORTED","reason":"x","report":"y"}', 'SCHEMA'],
    ['a __proto__ key', '{"verdict":"SUPPORTED","reason":"x","__proto__":{}}', 'SCHEMA'],
    ['a blank reason', '{"verdict":"SUPPORTED","reason":" "}', 'SCHEMA'],
    ['an invisible reason', '{"verdict":"SUPPORTED","reason":"\u200b"}', 'SCHEMA'],
    ['an unknown verdict', '{"verdict":"supported","reason":"x"}', 'SCHEMA'],
    ['an array', `[${VERDICT}]`, 'SCHEMA'],
    ['bottomless nesting', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'SCHEMA'],
  ];
  for (const [what, text, reason] of refused)
    it(`refuses ${what}`, () => expect(outcome(text)).to.equal(reason));

  it('never throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        decodeModelJson(text, z.unknown());
      }),
      { numRuns: 2000 },
    );
  });

  it('reads every JSON value without duplicate keys as JSON.parse does', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        fc.pre(!JSON.stringify(value).includes('"__proto__"'));
        const parsed = parseStrictJson(JSON.stringify(value));
        expect(parsed).to.deep.equal({ ok: true, value: JSON.parse(JSON.stringify(value)) as unknown });
      }),
    );
  });
});

describe('SG-2 a verdict counts only from a whole and willing answer', () => {
  const reply = { content: VERDICT, finishReason: 'stop', refused: false, toolCalls: [] as unknown[] };
  const failure = (change: Partial<typeof reply>): string => {
    const read = readVerdict({ ...reply, ...change }, 4096);
    return read.ok ? read.value.verdict : read.failure;
  };
  it('stop with content is read', () => expect(failure({})).to.equal('SUPPORTED'));
  for (const finishReason of ['length', 'content_filter', 'tool_calls'])
    it(`${finishReason} is a technical failure`, () =>
      expect(failure({ finishReason })).to.equal('FINISH_REASON'));
  it('a refusal is one', () => expect(failure({ refused: true })).to.equal('REFUSED'));
  it('empty content is one', () => expect(failure({ content: ' \n' })).to.equal('EMPTY'));
  it('a tool call is one', () => expect(failure({ toolCalls: [{}] })).to.equal('TOOL_CALLS'));
  it('an answer over the limit is one', () =>
    expect(failure({ content: `${VERDICT}${' '.repeat(5000)}` })).to.equal('TOO_LARGE'));
  it('SUPPORTED inside UNSUPPORTED is UNSUPPORTED', () =>
    expect(failure({ content: '{"verdict":"UNSUPPORTED","reason":"not SUPPORTED"}' })).to.equal(
      'UNSUPPORTED',
    ));
});
