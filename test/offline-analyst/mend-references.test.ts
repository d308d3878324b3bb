import { expect } from 'chai';
import { mendReferences } from '../../src/offline-analyst/stages/mend-references.js';
import { Draft } from '../../src/shared/domain/contracts/draft.js';
import { checkDraft } from '../../src/shared/domain/guards/evidence-guard.js';
import { isReferenceRepair, repairPayload } from '../../src/shared/domain/guards/repair.js';
import { repairMessages } from '../../src/shared/domain/prompts/repair.js';
import { lookUp } from './support/shop-runbooks.js';

const RUN = 'run-under-test';

function recordOf(id: string, query: string): Record<string, string> {
  const projection = lookUp(id, query, 5);
  return {
    run_id: RUN,
    tool_call_id: id,
    tool: 'rag_lookup',
    status: 'READY',
    evidence_status: projection.evidence_status,
    scope: JSON.stringify(projection.scope),
    agent_result: JSON.stringify(projection),
    started_at: '2024-05-06T11:00:00.000Z',
    finished_at: '2024-05-06T11:00:01.000Z',
  };
}

const RECORDS = new Map([
  ['call_r1_1', recordOf('call_r1_1', 'slow index')],
  ['call_r1_2', recordOf('call_r1_2', 'mail queue')],
  ['call_r2_1', recordOf('call_r2_1', 'nothing of the kind')],
]);
const CITABLE = [...RECORDS].map(([id, record]) => ({
  tool_call_id: id,
  tool: 'rag_lookup',
  evidence_status: record['evidence_status'] ?? '',
}));

function draftOf(changes: Partial<Draft> = {}): Draft {
  return {
    conclusion: { text: 'An index is gone.', analysis_ids: ['A1'] },
    analyses: [
      { analysis_id: 'A1', kind: 'NORMAL', text: 'An index is gone.', tool_call_ids: ['call_r1_1'] },
      {
        analysis_id: 'A2',
        kind: 'NEGATIVE_OBSERVATION',
        text: 'A lookup found nothing.',
        tool_call_ids: ['call_r2_1'],
      },
    ],
    action_plan: [{ text: 'Create it.', analysis_ids: ['A1'], requires_human_confirmation: true }],
    recommendations: [],
    limitations: ['None.'],
    missing_context: [],
    ...changes,
  };
}

function mended(draft: Draft): Draft {
  const guard = checkDraft(RUN, draft, RECORDS);
  expect(guard.ok, 'the draft is broken to begin with').to.equal(false);
  const violations = guard.ok ? [] : guard.violations;
  const said = mendReferences(repairMessages(repairPayload(draft, violations, CITABLE)));
  const repaired = Draft.parse(JSON.parse(said.content));
  expect(isReferenceRepair(draft, repaired), 'references alone differ').to.equal(true);
  return repaired;
}

const passes = (draft: Draft): boolean => checkDraft(RUN, draft, RECORDS).ok;

describe('ER-1 ER-2 the offline analyst mends references, and nothing else', () => {
  it('maps an ID that is written differently to the one that is meant', () => {
    const draft = draftOf();
    draft.analyses[0] = {
      analysis_id: 'A1',
      kind: 'NORMAL',
      text: 'An index is gone.',
      tool_call_ids: ['Call-r1-1'],
    };
    const repaired = mended(draft);
    expect(repaired.analyses[0]?.tool_call_ids).to.deep.equal(['call_r1_1']);
    expect(passes(repaired)).to.equal(true);
  });

  it('leaves out a broken reference where a good one stays', () => {
    const draft = draftOf();
    draft.analyses[0] = {
      analysis_id: 'A1',
      kind: 'NORMAL',
      text: 'An index is gone.',
      tool_call_ids: ['call_r1_1', 'made_up'],
    };
    const repaired = mended(draft);
    expect(repaired.analyses[0]?.tool_call_ids).to.deep.equal(['call_r1_1']);
    expect(passes(repaired)).to.equal(true);
  });

  it('gives a negative observation the only empty call, and does not choose among several full ones', () => {
    const negative = draftOf();
    negative.analyses[1] = {
      analysis_id: 'A2',
      kind: 'NEGATIVE_OBSERVATION',
      text: 'Nothing.',
      tool_call_ids: [],
    };
    expect(passes(mended(negative))).to.equal(true);
    const ambiguous = draftOf();
    ambiguous.analyses[0] = {
      analysis_id: 'A1',
      kind: 'NORMAL',
      text: 'An index is gone.',
      tool_call_ids: ['made_up'],
    };
    const unmended = mended(ambiguous);
    expect(unmended.analyses[0]?.tool_call_ids).to.deep.equal(['made_up']);
    expect(passes(unmended)).to.equal(false);
  });

  it('takes another number for another call', () => {
    const draft = draftOf();
    draft.analyses[1] = {
      analysis_id: 'A2',
      kind: 'NORMAL',
      text: 'Something.',
      tool_call_ids: ['call_r1_3'],
    };
    expect(mended(draft).analyses[1]?.tool_call_ids).to.deep.equal(['call_r1_3']);
  });

  it('names analyses that have no ID or another’s, and points to those that are written alike', () => {
    const draft = draftOf({
      conclusion: { text: 'An index is gone.', analysis_ids: ['a1'] },
      action_plan: [{ text: 'Create it.', analysis_ids: ['A-1', 'A9'], requires_human_confirmation: true }],
    });
    draft.analyses[1] = {
      analysis_id: ' ',
      kind: 'NEGATIVE_OBSERVATION',
      text: 'Nothing.',
      tool_call_ids: ['call_r2_1'],
    };
    const repaired = mended(draft);
    expect(repaired.analyses.map(({ analysis_id }) => analysis_id)).to.deep.equal(['A1', 'A2']);
    expect(repaired.conclusion?.analysis_ids).to.deep.equal(['A1']);
    expect(repaired.action_plan[0]?.analysis_ids).to.deep.equal(['A1']);
    expect(passes(repaired)).to.equal(true);
  });

  it('rests a conclusion without references on all analyses', () => {
    const repaired = mended(draftOf({ conclusion: { text: 'An index is gone.', analysis_ids: [] } }));
    expect(repaired.conclusion?.analysis_ids).to.deep.equal(['A1', 'A2']);
  });

  it('gives back what it cannot read as it came', () => {
    const payload = { draft: { odd: true }, violations: [], invocations: [] };
    const said = mendReferences([{ role: 'user', content: JSON.stringify(payload) }]);
    expect(JSON.parse(said.content)).to.deep.equal({ odd: true });
    expect(mendReferences([{ role: 'user', content: 'no JSON' }]).content).to.equal('{}');
  });
});
