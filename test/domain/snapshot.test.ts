import { expect } from 'chai';
import fc from 'fast-check';
import type { Draft } from '../../src/shared/domain/contracts/draft.js';
import { canonicalJson } from '../../src/shared/domain/guards/canonical-json.js';
import type { RawRecord } from '../../src/shared/domain/guards/canonical-record.js';
import { checkDraft } from '../../src/shared/domain/guards/evidence-guard.js';
import {
  draft,
  emptyLogProjection,
  logProjection,
  ragProjection,
  record,
  records,
  RUN,
  sqlProjection,
} from './sample-records.js';

function snapshotOf(candidate: Draft, source: Map<string, RawRecord | null> = records()) {
  const verdict = checkDraft(RUN, candidate, source);
  if (!verdict.ok) throw new Error(JSON.stringify(verdict.violations));
  return verdict.snapshot;
}

describe('EG-8 the snapshot', () => {
  const everything = draft({
    analyses: [
      { analysis_id: 'A1', kind: 'NORMAL', text: 'x', tool_call_ids: ['call_log', 'call_sql', 'call_rag'] },
      { analysis_id: 'A2', kind: 'NEGATIVE_OBSERVATION', text: 'y', tool_call_ids: ['call_empty'] },
    ],
  });

  it('EG-10 holds source, scope, time and exact excerpt or values, grouped by analysis', () => {
    const [a1, a2] = snapshotOf(everything).analyses;
    expect(a1?.evidence.map(({ tool, result }) => [tool, result])).to.deep.equal([
      ['log_search', { matched: 37, truncated: true }],
      ['mysql_query', { row_count: 1, truncated: false }],
      ['rag_lookup', { documents: 1, truncated: false }],
    ]);
    expect(a1?.evidence[0]?.items).to.deep.equal([
      {
        source: 'checkout.log:120',
        timestamp: '2026-11-30T10:12:00.000Z',
        excerpt: 'ERROR checkout: timeout calling orders after 3000 ms',
      },
    ]);
    expect(a1?.evidence[1]?.items[0]).to.deep.equal({
      source: 'shop',
      timestamp: '2026-11-30T11:00:04.500Z',
      excerpt: '{"id":"9007199254740993","total":"12.50"}',
    });
    expect(a1?.evidence[2]?.items[0]?.excerpt).to.equal('Stop writers first.');
    expect(a2?.evidence[0]).to.deep.include({ evidence_status: 'NO_EVIDENCE', items: [] });
    expect(a2?.evidence[0]?.scope).to.deep.include({ service: 'checkout', level: 'ERROR' });
  });

  it('holds no tool call ID, no key, and nothing that is not referenced', () => {
    const text = JSON.stringify(snapshotOf(draft()));
    for (const absent of [
      'call_log',
      'call_empty',
      'call_sql',
      'sworn:',
      RUN,
      '9007199254740993',
      'Stop writers',
    ])
      expect(text).not.to.include(absent);
  });

  it('keeps columns of one name apart', () => {
    const source = records().set(
      'call_sql',
      record('call_sql', sqlProjection('call_sql', { columns: ['n', 'n'], rows: [[1, 2]] })),
    );
    const candidate = draft({
      analyses: [{ analysis_id: 'A1', kind: 'NORMAL', text: 'x', tool_call_ids: ['call_sql'] }],
    });
    expect(snapshotOf(candidate, source).analyses[0]?.evidence[0]?.items[0]?.excerpt).to.equal(
      '{"n":1,"n#2":2}',
    );
  });

  it('shows groups with their counts', () => {
    const projection = logProjection('call_log', { groups: [{ key: '10.0.0.1', count: 30 }] });
    const source = records().set('call_log', record('call_log', projection));
    expect(snapshotOf(draft(), source).analyses[0]?.evidence[0]?.items[0]?.excerpt).to.equal(
      '{"count":30,"key":"10.0.0.1"}',
    );
  });

  it('has the same bytes for the same input', () => {
    expect(canonicalJson(snapshotOf(everything))).to.equal(canonicalJson(snapshotOf(everything)));
  });
});

/** Any Draft over any records: known and unknown IDs, every kind, blanks, and records broken in every way. */
const ids = fc.constantFrom(
  'call_log',
  'call_empty',
  'call_sql',
  'call_rag',
  'ghost',
  '__proto__',
  'CALL_LOG',
  '',
);
const analysisIds = fc.constantFrom('A1', 'A2', 'A3', ' ', 'constructor');
const texts = fc.oneof(fc.string({ maxLength: 20 }), fc.constantFrom('fine', 'see call_log', ' '));
const statements = fc.record({ text: texts, analysis_ids: fc.array(analysisIds, { maxLength: 3 }) });
const drafts: fc.Arbitrary<Draft> = fc.record({
  conclusion: statements,
  analyses: fc.array(
    fc.record({
      analysis_id: analysisIds,
      kind: fc.constantFrom('NORMAL', 'NEGATIVE_OBSERVATION', 'toString'),
      text: texts,
      tool_call_ids: fc.array(ids, { maxLength: 3 }),
    }),
    { maxLength: 3 },
  ),
  action_plan: fc.array(
    fc.record({
      text: texts,
      analysis_ids: fc.array(analysisIds, { maxLength: 2 }),
      requires_human_confirmation: fc.boolean(),
    }),
    { maxLength: 2 },
  ),
  recommendations: fc.array(statements, { maxLength: 2 }),
  limitations: fc.array(texts, { maxLength: 2 }),
  missing_context: fc.array(texts, { maxLength: 2 }),
});
const damage = fc.constantFrom<Record<string, string>>(
  {},
  {},
  { status: 'ERROR' },
  { status: 'PROJECTING' },
  { run_id: 'run-x' },
  { tool: 'hasOwnProperty' },
  { agent_result: '' },
  { agent_result: 'null' },
  { evidence_status: 'ERROR' },
  { scope: '[]' },
);
const sources = fc.tuple(damage, damage, damage, damage).map(
  ([log, empty, sql, rag]) =>
    new Map<string, RawRecord | null>([
      ['call_log', record('call_log', logProjection('call_log'), log)],
      ['call_empty', record('call_empty', emptyLogProjection('call_empty'), empty)],
      ['call_sql', record('call_sql', sqlProjection('call_sql'), sql)],
      ['call_rag', record('call_rag', ragProjection('call_rag'), rag)],
    ]),
);

describe('EG-3 any Draft over any records', () => {
  it('is rejected with named violations, or yields a snapshot that keeps every rule', () => {
    let passed = 0;
    fc.assert(
      fc.property(drafts, sources, (candidate, source) => {
        const verdict = checkDraft(RUN, candidate, source);
        if (!verdict.ok) {
          expect(verdict.violations.length).to.be.greaterThan(0);
          for (const { code, path } of verdict.violations)
            expect([code, path].every((part) => part !== '')).to.equal(true);
          return;
        }
        passed += 1;
        const known = new Set(candidate.analyses.map(({ analysis_id }) => analysis_id));
        expect(known.size).to.equal(candidate.analyses.length);
        verdict.snapshot.analyses.forEach((group, index) => {
          const analysis = candidate.analyses[index];
          expect(group.analysis_id).to.equal(analysis?.analysis_id);
          expect(group.evidence.length).to.equal(new Set(analysis?.tool_call_ids).size);
          const wanted = group.kind === 'NORMAL' ? 'EVIDENCE_FOUND' : 'NO_EVIDENCE';
          for (const item of group.evidence) expect(item.evidence_status).to.equal(wanted);
        });
        expect(JSON.stringify(verdict.snapshot)).not.to.match(/call_(log|empty|sql|rag)/);
        for (const id of candidate.analyses.flatMap(({ tool_call_ids }) => tool_call_ids))
          expect(source.get(id)?.['status']).to.equal('READY');
      }),
      { numRuns: 3000, examples: [[draft(), records()]] },
    );
    expect(passed).to.be.greaterThan(0);
  });
});
