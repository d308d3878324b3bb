import { expect } from 'chai';
import type { Draft } from '../../src/shared/domain/contracts/draft.js';
import { checkDraft, checkNoConclusion } from '../../src/shared/domain/guards/evidence-guard.js';
import type { RawRecord } from '../../src/shared/domain/guards/canonical-record.js';
import {
  draft,
  emptyLogProjection,
  logProjection,
  OTHER_RUN,
  record,
  records,
  RUN,
  sqlProjection,
} from './sample-records.js';

function codes(candidate: Draft, source: Map<string, RawRecord | null> = records()): string[] {
  const verdict = checkDraft(RUN, candidate, source);
  return verdict.ok ? [] : verdict.violations.map(({ code, path }) => `${code} ${path}`);
}

function cite(id: string, kind = 'NORMAL'): Draft {
  return draft({ analyses: [{ analysis_id: 'A1', kind, text: 'x', tool_call_ids: [id] }] });
}

function withRecord(id: string, raw: RawRecord | null): Map<string, RawRecord | null> {
  return records().set(id, raw);
}

describe('EG-1 an analysis of a concluded Draft', () => {
  const analysis = draft().analyses[0]!;
  it('passes when whole', () => {
    expect(codes(draft())).to.deep.equal([]);
  });
  it('has a non-blank, unique analysis_id', () => {
    expect(
      codes(
        draft({
          analyses: [{ ...analysis, analysis_id: ' \t' }],
          conclusion: { text: 'x', analysis_ids: [' \t'] },
        }),
      ),
    ).to.include('ANALYSIS_ID_BLANK analyses.0.analysis_id');
    expect(codes(draft({ analyses: [analysis, analysis] }))).to.include(
      'ANALYSIS_ID_DUPLICATE analyses.1.analysis_id',
    );
  });
  it('has a known kind', () => {
    expect(codes(draft({ analyses: [{ ...analysis, kind: 'normal' }] }))).to.include(
      'ANALYSIS_KIND_UNKNOWN analyses.0.kind',
    );
    expect(codes(draft({ analyses: [{ ...analysis, kind: 'constructor' }] }))).to.include(
      'ANALYSIS_KIND_UNKNOWN analyses.0.kind',
    );
  });
  it('has text', () => {
    expect(codes(draft({ analyses: [{ ...analysis, text: '\n ' }] }))).to.include(
      'TEXT_BLANK analyses.0.text',
    );
  });
  it('cites at least one call', () => {
    expect(codes(draft({ analyses: [{ ...analysis, tool_call_ids: [] }] }))).to.include(
      'TOOL_CALL_IDS_EMPTY analyses.0.tool_call_ids',
    );
  });
  it('exists', () => {
    expect(codes(draft({ analyses: [] }))).to.include('NO_ANALYSES analyses');
  });
});

describe('EG-2 conclusion, actions and recommendations of a concluded Draft', () => {
  for (const ids of [[], ['A9'], ['__proto__'], ['']]) {
    const label = JSON.stringify(ids);
    it(`refer to existing analyses, not to ${label}`, () => {
      const conclusion = { text: 'x', analysis_ids: ids };
      const action = { text: 'x', analysis_ids: ids, requires_human_confirmation: false };
      expect(codes(draft({ conclusion })).join()).to.match(/ANALYSIS_ID(S_EMPTY|_UNKNOWN) conclusion/);
      expect(codes(draft({ action_plan: [action] })).join()).to.match(
        /ANALYSIS_ID(S_EMPTY|_UNKNOWN) action_plan\.0/,
      );
      expect(codes(draft({ recommendations: [conclusion] })).join()).to.match(
        /ANALYSIS_ID(S_EMPTY|_UNKNOWN) recommendations\.0/,
      );
    });
  }
  it('say something', () => {
    expect(codes(draft({ conclusion: { text: '  ', analysis_ids: ['A1'] } }))).to.include(
      'TEXT_BLANK conclusion.text',
    );
    expect(codes(draft({ recommendations: [{ text: '', analysis_ids: ['A1'] }] }))).to.include(
      'TEXT_BLANK recommendations.0.text',
    );
  });
});

describe('EG-4 EG-5 a Draft without a conclusion', () => {
  const candidate = (ids: string[], kind = 'NEGATIVE_OBSERVATION'): Draft => ({
    conclusion: null,
    analyses: [{ analysis_id: '', kind, text: '', tool_call_ids: ids }],
    action_plan: [],
    recommendations: [],
    limitations: [],
    missing_context: [],
  });
  it('owes no structure; a valid negative observation is accepted', () => {
    const accepted = checkNoConclusion(RUN, candidate(['call_empty']), records());
    expect(accepted.map(({ toolCallId }) => toolCallId)).to.deep.equal(['call_empty']);
  });
  it('excludes fabricated, foreign, incomplete and failed references, and keeps the authentic ones', () => {
    const source = records()
      .set('foreign', record('foreign', emptyLogProjection('foreign'), { run_id: OTHER_RUN }))
      .set('open', record('open', emptyLogProjection('open'), { status: 'PROJECTING', agent_result: '' }))
      .set(
        'failed',
        record('failed', emptyLogProjection('failed'), { status: 'ERROR', evidence_status: 'ERROR' }),
      );
    const accepted = checkNoConclusion(
      RUN,
      candidate(['made_up', 'foreign', 'open', 'failed', 'call_empty']),
      source,
    );
    expect(accepted.map(({ toolCallId }) => toolCallId)).to.deep.equal(['call_empty']);
  });
  it('obeys EG-7 as well', () => {
    expect(checkNoConclusion(RUN, candidate(['call_empty'], 'NORMAL'), records())).to.deep.equal([]);
    expect(checkNoConclusion(RUN, candidate(['call_log']), records())).to.deep.equal([]);
  });
});

describe('EG-6 a reference resolves by run and call alone', () => {
  const cases: [string, RawRecord | null, string][] = [
    ['is missing', null, 'REFERENCE_UNRESOLVED'],
    [
      'belongs to another Run',
      record('x', logProjection('x'), { run_id: OTHER_RUN }),
      'REFERENCE_UNRESOLVED',
    ],
    ['is PROJECTING', record('x', logProjection('x'), { status: 'PROJECTING' }), 'REFERENCE_NOT_READY'],
    ['is ERROR', record('x', logProjection('x'), { status: 'ERROR' }), 'REFERENCE_NOT_READY'],
    ['lacks agent_result', record('x', logProjection('x'), { agent_result: ' ' }), 'REFERENCE_NOT_READY'],
    [
      'has evidence_status ERROR',
      record('x', logProjection('x'), { evidence_status: 'ERROR' }),
      'REFERENCE_BROKEN',
    ],
  ];
  for (const [what, raw, code] of cases) {
    it(`a record that ${what} is refused and gives no content away`, () => {
      const verdict = checkDraft(RUN, cite('x'), withRecord('x', raw));
      expect(verdict.ok).to.equal(false);
      expect(codes(cite('x'), withRecord('x', raw))).to.include(`${code} analyses.0.tool_call_ids.0`);
      expect(JSON.stringify(verdict)).not.to.include('timeout calling orders');
    });
  }
  it('compares IDs exactly: another case is another call', () => {
    expect(codes(cite('CALL_LOG'))).to.include('REFERENCE_UNRESOLVED analyses.0.tool_call_ids.0');
  });
});

describe('EG-7 the kind fits the evidence', () => {
  it('NORMAL needs EVIDENCE_FOUND', () => {
    expect(codes(cite('call_empty'))).to.deep.equal(['KIND_MISMATCH analyses.0.tool_call_ids.0']);
  });
  it('NEGATIVE_OBSERVATION needs NO_EVIDENCE', () => {
    expect(codes(cite('call_log', 'NEGATIVE_OBSERVATION'))).to.deep.equal([
      'KIND_MISMATCH analyses.0.tool_call_ids.0',
    ]);
  });
  it('one unfit reference among fit ones is enough to stop', () => {
    const mixed = draft({
      analyses: [{ analysis_id: 'A1', kind: 'NORMAL', text: 'x', tool_call_ids: ['call_log', 'call_empty'] }],
    });
    expect(codes(mixed)).to.deep.equal(['KIND_MISMATCH analyses.0.tool_call_ids.1']);
  });
});

describe('EG-9 a projection that breaks its contract fails closed', () => {
  const broken: [string, RawRecord][] = [
    ['unknown tool', record('x', logProjection('x'), { tool: 'shell' })],
    ['prototype name as tool', record('x', logProjection('x'), { tool: 'constructor' })],
    ['invalid JSON', record('x', logProjection('x'), { agent_result: '{"tool":' })],
    [
      'a duplicate key',
      record('x', logProjection('x'), {
        agent_result: `{"tool":"log_search",${JSON.stringify(logProjection('x')).slice(1)}`,
      }),
    ],
    ['another call’s ID inside', record('x', logProjection('y'))],
    ['another tool’s projection', record('x', sqlProjection('x'), { tool: 'log_search' })],
    ['an unknown key', record('x', logProjection('x', { raw: 'secret' }))],
    ['a status at odds with the record', record('x', logProjection('x'), { evidence_status: 'NO_EVIDENCE' })],
    ['a scope at odds with the record', record('x', logProjection('x'), { scope: '{}' })],
    ['matches under NO_EVIDENCE', record('x', logProjection('x', { evidence_status: 'NO_EVIDENCE' }))],
    ['an extra field in the record', { ...record('x', logProjection('x')), note: 'hi' }],
  ];
  for (const [what, raw] of broken) {
    it(what, () => {
      const verdict = checkDraft(RUN, cite('x'), withRecord('x', raw));
      expect(verdict.ok).to.equal(false);
      expect(JSON.stringify(verdict)).not.to.include('timeout calling orders');
    });
  }
});

describe('SG-1 visible text and tool call IDs', () => {
  it('a Draft that names a cited call in its prose does not pass', () => {
    const leaking = draft({ limitations: ['See call_log.'] });
    expect(codes(leaking)).to.deep.equal(['TOOL_CALL_ID_IN_TEXT limitations.0']);
  });
  it('a longer word that holds an ID is no ID', () => {
    expect(codes(draft({ limitations: ['See my_call_logger and call_log2.'] }))).to.deep.equal([]);
  });
});

describe('SG-1 IDs of the Run that the Draft does not cite', () => {
  it('are kept out of visible text as well', () => {
    const leaking = draft({ limitations: ['See call_other_9f3.'] });
    const verdict = checkDraft(RUN, leaking, records(), ['call_other_9f3']);
    expect(verdict.ok ? [] : verdict.violations.map(({ code, path }) => `${code} ${path}`)).to.deep.equal([
      'TOOL_CALL_ID_IN_TEXT limitations.0',
    ]);
    expect(checkDraft(RUN, leaking, records(), []).ok).to.equal(true);
  });
});

describe('EG-5 a Draft without conclusion that is over its limits', () => {
  it('gets no reference accepted, and costs nothing to refuse', () => {
    const many = Array.from({ length: 20_000 }, () => 'call_empty');
    const candidate = draft({
      conclusion: null,
      analyses: [{ analysis_id: 'A1', kind: 'NEGATIVE_OBSERVATION', text: 'x', tool_call_ids: many }],
    });
    expect(checkNoConclusion(RUN, candidate, records())).to.deep.equal([]);
  });
});

describe('EG-1 analysis IDs that look the same', () => {
  for (const twin of ['A1\u200b', ' A1', 'Ａ1'])
    it(`${JSON.stringify(twin)} is A1 to a reader`, () => {
      const [first, second] = draft().analyses;
      const twins = draft({ analyses: [first!, { ...second!, analysis_id: twin }] });
      expect(codes(twins)).to.include('ANALYSIS_ID_DUPLICATE analyses.1.analysis_id');
    });
});
