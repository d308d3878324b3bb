import { expect } from 'chai';
import fc from 'fast-check';
import type { Draft } from '../../src/shared/domain/contracts/draft.js';
import { isReferenceRepair } from '../../src/shared/domain/guards/repair.js';
import { draft } from './sample-records.js';

describe('ER-2 a repair may change IDs and references alone', () => {
  const original = draft();
  const [first, second] = original.analyses;
  const accepted: [string, Draft][] = [
    ['nothing', draft()],
    ['tool call IDs', draft({ analyses: [{ ...first!, tool_call_ids: ['other', 'more'] }, second!] })],
    [
      'analysis IDs and what refers to them',
      draft({
        analyses: [{ ...first!, analysis_id: 'B1' }, second!],
        conclusion: { text: original.conclusion!.text, analysis_ids: ['B1'] },
      }),
    ],
    [
      'references of actions',
      draft({ action_plan: [{ ...original.action_plan[0]!, analysis_ids: ['A1', 'A2'] }] }),
    ],
  ];
  for (const [what, repaired] of accepted)
    it(`accepts a change of ${what}`, () => expect(isReferenceRepair(original, repaired)).to.equal(true));

  const refused: [string, Draft][] = [
    ['the conclusion’s text', draft({ conclusion: { text: 'Checkout is slow.', analysis_ids: ['A1'] } })],
    ['a conclusion taken away', draft({ conclusion: null })],
    [
      'one white space of an analysis',
      draft({ analyses: [{ ...first!, text: `${first!.text} ` }, second!] }),
    ],
    ['a kind', draft({ analyses: [{ ...first!, kind: 'NEGATIVE_OBSERVATION' }, second!] })],
    ['the order of analyses', draft({ analyses: [second!, first!] })],
    ['an analysis dropped', draft({ analyses: [first!] })],
    ['an action’s text', draft({ action_plan: [{ ...original.action_plan[0]!, text: 'Restart orders.' }] })],
    [
      'the confirmation flag',
      draft({ action_plan: [{ ...original.action_plan[0]!, requires_human_confirmation: false }] }),
    ],
    [
      'a recommendation added',
      draft({ recommendations: [...original.recommendations, { text: 'x', analysis_ids: ['A1'] }] }),
    ],
    ['a limitation', draft({ limitations: [] })],
    ['missing context', draft({ missing_context: ['the time'] })],
    ['a Unicode form', draft({ limitations: [original.limitations[0]!.replace('e', 'e\u0301')] })],
  ];
  for (const [what, repaired] of refused)
    it(`refuses a change of ${what}`, () => expect(isReferenceRepair(original, repaired)).to.equal(false));

  it('holds for any IDs', () => {
    const list = fc.array(fc.string(), { maxLength: 4 });
    fc.assert(
      fc.property(fc.string(), list, list, (id, calls, analyses) => {
        const repaired = draft({
          analyses: original.analyses.map((analysis) => ({
            ...analysis,
            analysis_id: id,
            tool_call_ids: calls,
          })),
          conclusion: { text: original.conclusion!.text, analysis_ids: analyses },
        });
        expect(isReferenceRepair(original, repaired)).to.equal(true);
      }),
    );
  });
});
