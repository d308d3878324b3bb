import { expect } from 'chai';
import type { KnowledgeDraft } from '../../src/shared/domain/contracts/draft.js';
import { bindKnowledge } from '../../src/shared/domain/guards/knowledge.js';
import { OTHER_RUN, logProjection, ragProjection, record, RUN } from './sample-records.js';

const document = (id: string) => ({
  document_id: id,
  title: `Title ${id}`,
  source: `${id}.md`,
  excerpt: 'text',
  updated_at: '2026-10-01T00:00:00.000Z',
});
const lookup = {
  toolCallId: 'k1',
  raw: record('k1', ragProjection('k1', { documents: [document('a'), document('b')] })),
};
const draft = (items: [string, string, string[]][], limitations: string[] = []): KnowledgeDraft => ({
  answer_items: items.map(([text, tool_call_id, document_ids]) => ({ text, tool_call_id, document_ids })),
  limitations,
});
const fault = (
  candidate: KnowledgeDraft | null,
  from: Parameters<typeof bindKnowledge>[2] = lookup,
): string => {
  const bound = bindKnowledge(RUN, candidate, from);
  return bound.ok ? 'bound' : bound.fault;
};

describe('KQ-2 every answer item binds the single lookup and documents that it returned', () => {
  it('binds by exact membership', () => expect(fault(draft([['x', 'k1', ['a']]]))).to.equal('bound'));
  it('another call is a fault', () => expect(fault(draft([['x', 'K1', ['a']]]))).to.equal('OTHER_LOOKUP'));
  it('a document that was not returned is a fault', () =>
    expect(fault(draft([['x', 'k1', ['a', 'c']]]))).to.equal('UNKNOWN_DOCUMENT'));
  it('prototype names are no documents', () =>
    expect(fault(draft([['x', 'k1', ['constructor']]]))).to.equal('UNKNOWN_DOCUMENT'));
  it('no document is a fault', () => expect(fault(draft([['x', 'k1', []]]))).to.equal('NO_DOCUMENT'));
  it('blank text is a fault', () => expect(fault(draft([[' ', 'k1', ['a']]]))).to.equal('TEXT_BLANK'));
  it('no items, or an invalid draft, is a fault', () => {
    expect(fault(draft([]))).to.equal('NO_ITEMS');
    expect(fault(null)).to.equal('NO_ITEMS');
  });
  it('no lookup at all is a fault', () =>
    expect(fault(draft([['x', 'k1', ['a']]]), null)).to.equal('NO_LOOKUP'));
  it('a lookup of another Run, a failed one, a lost one, or another tool’s is a fault', () => {
    const candidate = draft([['x', 'k1', ['a']]]);
    for (const raw of [
      record('k1', ragProjection('k1'), { run_id: OTHER_RUN }),
      record('k1', ragProjection('k1'), { status: 'ERROR' }),
      record('k1', logProjection('k1')),
      null,
    ])
      expect(fault(candidate, { toolCallId: 'k1', raw })).to.equal('LOOKUP_UNUSABLE');
  });
  it('a lookup without hits is told apart', () => {
    const raw = record('k1', ragProjection('k1', { evidence_status: 'NO_EVIDENCE', documents: [] }));
    expect(fault(draft([]), { toolCallId: 'k1', raw })).to.equal('NO_HITS');
  });
});

describe('KQ-3 answer, references and limitations', () => {
  it('items stand apart by blank lines, each ends in its marks, references in the order of first use', () => {
    const bound = bindKnowledge(
      RUN,
      draft(
        [
          ['Stop writers.\n\nWait.', 'k1', ['b']],
          ['Roll back.', 'k1', ['a', 'b', 'a']],
        ],
        ['No times given.'],
      ),
      lookup,
    );
    expect(bound.ok && bound.answer).to.deep.equal({
      answer: 'Stop writers.\nWait. [1]\n\nRoll back. [2][1]',
      references: [
        { document_id: 'b', title: 'Title b', source: 'b.md' },
        { document_id: 'a', title: 'Title a', source: 'a.md' },
      ],
      limitations: ['No times given.'],
    });
  });
});

describe('KQ-3 an item’s own words cannot pass for the rendering', () => {
  const answerOf = (text: string): string => {
    const bound = bindKnowledge(RUN, draft([[text, 'k1', ['a']]]), lookup);
    return bound.ok ? bound.answer.answer : bound.fault;
  };
  it('a number in brackets is no reference', () =>
    expect(answerOf('Drop the database [2]. Then [ 1 ].')).to.equal(
      'Drop the database (2). Then ( 1 ). [1]',
    ));
  for (const gap of ['\n\n', '\r\r', '\n\u200b\n', '\u2029', '\r\n \r\n'])
    it(`${JSON.stringify(gap)} does not end an item`, () =>
      expect(answerOf(`one${gap}two`)).to.equal('one\ntwo [1]'));
});
