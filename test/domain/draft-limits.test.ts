import { expect } from 'chai';
import fc from 'fast-check';
import type { Draft } from '../../src/shared/domain/contracts/draft.js';
import { isBlank } from '../../src/shared/domain/guards/blank.js';
import { DRAFT_LIMITS } from '../../src/shared/domain/guards/draft-structure.js';
import { checkDraft } from '../../src/shared/domain/guards/evidence-guard.js';
import { draft, logProjection, record, records, RUN, sqlProjection } from './sample-records.js';

const codes = (candidate: Draft, source = records()): string[] => {
  const verdict = checkDraft(RUN, candidate, source);
  return verdict.ok ? [] : verdict.violations.map(({ code, path }) => `${code} ${path}`);
};
const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

describe('EG-1 blank is what a reader cannot see', () => {
  for (const text of [
    '',
    ' \t\n',
    '\u00a0',
    '\u200b',
    '\u2060\ufeff',
    '\u3164',
    '\u202e',
    '\ud800',
    '\u0000',
  ])
    it(JSON.stringify(text), () => {
      expect(isBlank(text)).to.equal(true);
      const [first, second] = draft().analyses;
      expect(codes(draft({ analyses: [{ ...first!, text }, second!] }))).to.deep.equal([
        'TEXT_BLANK analyses.0.text',
      ]);
    });
  for (const text of ['.', ' a ', '\u200bx', '💥', '零'])
    it(`${JSON.stringify(text)} is not`, () => expect(isBlank(text)).to.equal(false));
});

describe('EG-1 a Draft is bounded', () => {
  const [analysis] = draft().analyses;
  const over = DRAFT_LIMITS.items + 1;
  const many: [string, string, Draft][] = [
    [
      'analyses',
      'analyses',
      draft({ analyses: times(DRAFT_LIMITS.analyses + 1, (i) => ({ ...analysis!, analysis_id: `A${i}` })) }),
    ],
    [
      'references of an analysis',
      'analyses.0.tool_call_ids',
      draft({
        analyses: [{ ...analysis!, tool_call_ids: times(DRAFT_LIMITS.references + 1, () => 'call_log') }],
      }),
    ],
    [
      'references in all',
      'analyses',
      draft({
        analyses: times(DRAFT_LIMITS.citations / 64 + 1, (i) => ({
          ...analysis!,
          analysis_id: `A${i}`,
          tool_call_ids: times(64, () => 'call_log'),
        })),
      }),
    ],
    [
      'references of the conclusion',
      'conclusion.analysis_ids',
      draft({ conclusion: { text: 'x', analysis_ids: times(DRAFT_LIMITS.references + 1, () => 'A1') } }),
    ],
    [
      'actions',
      'action_plan',
      draft({
        action_plan: times(over, () => ({
          text: 'x',
          analysis_ids: ['A1'],
          requires_human_confirmation: true,
        })),
      }),
    ],
    [
      'recommendations',
      'recommendations',
      draft({ recommendations: times(over, () => ({ text: 'x', analysis_ids: ['A1'] })) }),
    ],
    ['missing things', 'missing_context', draft({ missing_context: times(over, () => 'x') })],
    ['limitations', 'limitations', draft({ limitations: times(over, () => 'x') })],
  ];
  for (const [what, path, candidate] of many)
    it(`too many ${what} are named, and nothing else is read`, () => {
      expect(codes(candidate)).to.deep.equal([`TOO_MANY ${path}`]);
    });
  it('as many as allowed pass', () => {
    const analyses = times(DRAFT_LIMITS.analyses, (i) => ({ ...analysis!, analysis_id: `A${i}` }));
    const conclusion = { text: 'x', analysis_ids: analyses.map(({ analysis_id }) => analysis_id) };
    expect(codes(draft({ analyses, conclusion }))).to.deep.equal([]);
  });
});

describe('RP-1 a Draft without a conclusion cannot pass as one with', () => {
  it('is a violation of its own', () => {
    expect(codes(draft({ conclusion: null }))).to.deep.equal(['NO_CONCLUSION conclusion']);
  });
});

describe('SG-1 tool call IDs in visible text', () => {
  const citing = (id: string, text: string): string[] => {
    const [analysis] = draft().analyses;
    const source = records().set(id, record(id, logProjection(id)));
    return codes(draft({ analyses: [{ ...analysis!, text, tool_call_ids: [id] }] }), source);
  };
  const leak = ['TOOL_CALL_ID_IN_TEXT analyses.0.text'];
  for (const text of [
    'call_abc1',
    'see (call_abc1).',
    'tool_call_ids:call_abc1',
    'call_abc1: 37 timeouts',
    '„call_abc1“',
    'xcall_abc1 and call_abc1',
  ])
    it(`are found in ${JSON.stringify(text)}`, () => expect(citing('call_abc1', text)).to.deep.equal(leak));
  for (const text of ['xcall_abc1', 'call_abc12', 'call_abc1_2', 'CALL_ABC1'])
    it(`are not ${JSON.stringify(text)}`, () => expect(citing('call_abc1', text)).to.deep.equal([]));
  it('are found in an analysis_id', () => {
    const [analysis, second] = draft().analyses;
    const named = { ...analysis!, analysis_id: 'call_log' };
    const conclusion = { text: 'x', analysis_ids: ['call_log'] };
    expect(
      codes(draft({ analyses: [named, second!], conclusion, action_plan: [], recommendations: [] })),
    ).to.deep.equal(['TOOL_CALL_ID_IN_TEXT analyses.0.analysis_id']);
  });
  it('a short ID, or one that is a tool’s name, may be any word of a report', () => {
    expect(citing('r1', 'r1 was slow')).to.deep.equal([]);
    expect(citing('log_search', 'log_search found 37 entries')).to.deep.equal([]);
  });
  it('reads a text made to be dear to read', () => {
    expect(citing('......', `${'.'.repeat(60_000)}x`)).to.deep.equal(leak);
    expect(citing('aaaaaa', 'a'.repeat(60_000))).to.deep.equal([]);
  });
});

describe('EG-10 a row’s columns', () => {
  it('have names of their own, whatever the statement called them', () => {
    const excerptOf = (columns: string[]): Record<string, unknown> => {
      const rows = [columns.map((_, index) => index)];
      const source = records().set('sql', record('sql', sqlProjection('sql', { columns, rows })));
      const cited = { ...draft().analyses[0]!, tool_call_ids: ['sql'] };
      const verdict = checkDraft(RUN, draft({ analyses: [cited] }), source);
      if (!verdict.ok) throw new Error(JSON.stringify(verdict.violations));
      return JSON.parse(verdict.snapshot.analyses[0]?.evidence[0]?.items[0]?.excerpt ?? '') as Record<
        string,
        unknown
      >;
    };
    expect(excerptOf(['a', 'a', 'a#2', 'a'])).to.deep.equal({ a: 0, 'a#3': 1, 'a#2': 2, 'a#4': 3 });
    const name = fc.constantFrom('a', 'a#2', 'a#3', 'b', '');
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 8 }), (columns) => {
        const values = Object.values(excerptOf(columns)).sort((x, y) => Number(x) - Number(y));
        expect(values).to.deep.equal(columns.map((_, index) => index));
      }),
    );
  });
});
