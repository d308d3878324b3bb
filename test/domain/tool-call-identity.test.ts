import { expect } from 'chai';
import fc from 'fast-check';
import type { ToolName } from '../../src/shared/domain/contracts/tools/common.js';
import { judgeToolCalls, type JudgedCall } from '../../src/shared/domain/guards/tool-call-identity.js';

const ALL: ReadonlySet<ToolName> = new Set(['rag_lookup', 'log_search', 'mysql_query'] as const);
const LOOKUP = '{"query":"x"}';
const call = (id: string, name = 'rag_lookup', args = LOOKUP) => ({ id, name, arguments: args });

function judge(calls: ReturnType<typeof call>[], used: string[] = [], callsLeft = 10): JudgedCall[] {
  return judgeToolCalls(calls, { usedIds: new Set(used), offered: ALL, callsLeft });
}
const summary = (judged: JudgedCall[]): string[] =>
  judged.map((item) => (item.kind === 'accepted' ? `accepted ${item.id}` : `${item.kind} ${item.code}`));

describe('ID-1 the model’s own ID is the identity', () => {
  it('stays as it is, to the character', () => {
    const id = `A-z_0.9:${'x'.repeat(120)}`;
    expect(summary(judge([call(id)]))).to.deep.equal([`accepted ${id}`]);
  });
});

describe('ID-2 an ID is non-empty, bounded, safe and unique in the Run', () => {
  const bad = ['', ' ', 'a b', 'a/b', 'ä', 'a\u0000', 'x'.repeat(129), 'call\n1', 'Ａ1', '{run}'];
  for (const id of bad)
    it(`${JSON.stringify(id.slice(0, 12))} is refused`, () =>
      expect(summary(judge([call(id)]))).to.deep.equal(['refused INVALID_TOOL_CALL_ID']));
  it('two empty IDs are refused as invalid, not told apart', () =>
    expect(summary(judge([call(''), call('')]))).to.deep.equal([
      'refused INVALID_TOOL_CALL_ID',
      'refused INVALID_TOOL_CALL_ID',
    ]));
  it('IDs that differ by case are two', () =>
    expect(summary(judge([call('a'), call('A')]))).to.deep.equal(['accepted a', 'accepted A']));
  it('names of the prototype are IDs like others', () => {
    expect(summary(judge([call('constructor'), call('__proto__')]))).to.deep.equal([
      'accepted constructor',
      'accepted __proto__',
    ]);
  });
});

describe('ID-3 a duplicate fails closed', () => {
  it('of calls that share an ID in one message none is run', () =>
    expect(summary(judge([call('a'), call('b'), call('a', 'log_search', '{}')]))).to.deep.equal([
      'refused DUPLICATE_TOOL_CALL_ID',
      'accepted b',
      'refused DUPLICATE_TOOL_CALL_ID',
    ]));
  it('an ID of an earlier round is refused', () =>
    expect(summary(judge([call('a'), call('b')], ['a']))).to.deep.equal([
      'refused DUPLICATE_TOOL_CALL_ID',
      'accepted b',
    ]));
  it('says so in words that hold nothing of the model', () => {
    const [refused] = judge([call('<script>')]);
    expect(JSON.stringify(refused)).not.to.include('script');
  });
});

describe('SE-1 calls that cannot run stand as errors', () => {
  it('an unknown tool', () => {
    for (const name of ['shell', '', 'constructor', 'LOG_SEARCH'])
      expect(summary(judge([call('a', name)]))).to.deep.equal(['error UNKNOWN_TOOL']);
  });
  it('arguments that are no JSON, hold a key twice, or do not fit', () => {
    for (const args of [
      '{',
      '{"query":"a","query":"b"}',
      '[]',
      '{"query":1}',
      '{"query":"a","sql":"x"}',
      'null',
    ])
      expect(summary(judge([call('a', 'rag_lookup', args)]))).to.deep.equal(['error INVALID_ARGUMENTS']);
  });
  it('calls over the budget', () =>
    expect(summary(judge([call('a'), call('b')], [], 1))).to.deep.equal(['accepted a', 'error FAILED']));
  it('accepted arguments are canonical', () => {
    const [accepted] = judge([
      call('a', 'log_search', '{ "to":"2026-11-30T11:00:00Z", "from":"2026-11-30T10:00:00Z" }'),
    ]);
    expect(accepted).to.deep.include({
      arguments: '{"from":"2026-11-30T10:00:00Z","to":"2026-11-30T11:00:00Z"}',
    });
  });
});

describe('ID-2 for any message', () => {
  it('no ID is accepted twice, none that was used, none unsafe', () => {
    const id = fc.oneof(fc.constantFrom('a', 'b', 'A', '', 'used'), fc.string({ maxLength: 4 }));
    fc.assert(
      fc.property(fc.array(id, { maxLength: 8 }), (ids) => {
        const accepted = judge(
          ids.map((item) => call(item)),
          ['used'],
        ).flatMap((item) => (item.kind === 'accepted' ? [item.id] : []));
        expect(new Set(accepted).size).to.equal(accepted.length);
        for (const item of accepted) {
          expect(item)
            .to.match(/^[A-Za-z0-9\-_.:]{1,128}$/)
            .and.not.equal('used');
          expect(ids.filter((other) => other === item).length).to.equal(1);
        }
      }),
    );
  });
});
