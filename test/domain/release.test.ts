import { expect } from 'chai';
import { parseRecord, type ReadyRecord } from '../../src/shared/domain/guards/canonical-record.js';
import { checkDraft } from '../../src/shared/domain/guards/evidence-guard.js';
import { isConcluded } from '../../src/shared/domain/guards/semantic.js';
import { coverage, type CoveredCall } from '../../src/shared/domain/release/coverage.js';
import { decideRelease, type ReviewFacts } from '../../src/shared/domain/release/policy.js';
import { progressSnapshot } from '../../src/shared/domain/release/progress.js';
import { buildReport, publishedResult } from '../../src/shared/domain/release/report.js';
import { cleanMissingContext, safeFallback } from '../../src/shared/domain/release/safe-fallback.js';
import { Fallback, FallbackType, PublishedResult, Report } from '../../src/shared/domain/contracts/report.js';
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

const LISTED = { services: new Set(['checkout']), databases: new Set(['shop']) };

describe('RP-1 … RP-9 the release table', () => {
  const table: [string, ReviewFacts, string][] = [
    ['RP-1 supported', { kind: 'concluded', evidence: 'passed', semantic: 'SUPPORTED' }, 'SUCCESS report'],
    [
      'RP-5 unsupported',
      { kind: 'concluded', evidence: 'passed', semantic: 'UNSUPPORTED' },
      'SEMANTIC_UNSUPPORTED snapshot',
    ],
    [
      'SG-4 review unavailable',
      { kind: 'concluded', evidence: 'passed', semantic: 'UNAVAILABLE' },
      'SEMANTIC_UNAVAILABLE snapshot',
    ],
    [
      'RP-6 evidence rejected',
      { kind: 'concluded', evidence: 'rejected' },
      'EVIDENCE_VALIDATION_FAILED none',
    ],
    [
      'RP-7 nothing called, context missing',
      { kind: 'no_conclusion', toolCalls: false, missingContext: true },
      'MISSING_REQUIRED_CONTEXT none +context',
    ],
    [
      'RP-8 checks without conclusion',
      { kind: 'no_conclusion', toolCalls: true, missingContext: true },
      'INSUFFICIENT_EVIDENCE progress +facts',
    ],
    [
      'RP-8 nothing called, nothing missing',
      { kind: 'no_conclusion', toolCalls: false, missingContext: false },
      'INSUFFICIENT_EVIDENCE progress +facts',
    ],
    ['RP-8 controlled stop', { kind: 'controlled_stop' }, 'INSUFFICIENT_EVIDENCE progress +facts'],
    ['RP-9 invalid draft', { kind: 'invalid_draft' }, 'INSUFFICIENT_EVIDENCE progress +facts'],
    [
      'BU-1 model failed with progress',
      { kind: 'model_failed', progress: true },
      'INSUFFICIENT_EVIDENCE progress +facts',
    ],
    ['BU-1 model failed without', { kind: 'model_failed', progress: false }, 'FAILED MODEL_UNAVAILABLE'],
    ['RP-2a out of scope', { kind: 'out_of_scope' }, 'OUT_OF_SCOPE none'],
    ['KQ-3 bound answer', { kind: 'knowledge', binding: 'bound' }, 'SUCCESS knowledge'],
    ['KQ-2 binding fault', { kind: 'knowledge', binding: 'faulty' }, 'EVIDENCE_VALIDATION_FAILED none'],
    ['KQ-2 no hits', { kind: 'knowledge', binding: 'no_hits' }, 'INSUFFICIENT_EVIDENCE progress +facts'],
  ];
  for (const [what, facts, expected] of table) {
    it(what, () => {
      const decision = decideRelease(facts);
      switch (decision.outcome) {
        case 'SUCCESS':
          expect(`SUCCESS ${decision.publish}`).to.equal(expected);
          break;
        case 'FAILED':
          expect(`FAILED ${decision.code}`).to.equal(expected);
          break;
        case 'FALLBACK': {
          const more = `${decision.facts ? ' +facts' : ''}${decision.missingContext ? ' +context' : ''}`;
          expect(`${decision.type} ${decision.sources}${more}`).to.equal(expected);
        }
      }
    });
  }
});

describe('RP-2 RP-3 SafeFallback', () => {
  it('has a fixed text per type that names what to do next', () => {
    const messages = FallbackType.options.map((type) => safeFallback(type).message);
    expect(new Set(messages).size).to.equal(FallbackType.options.length);
    for (const message of messages) expect(message).to.match(/ask|Ask/);
  });
  it('bounds and cleans the missing context', () => {
    const items = [
      ' \u0000the\u202Etime\n',
      '',
      '\u200B',
      ...Array.from({ length: 20 }, () => '💥'.repeat(300)),
    ];
    const cleaned = cleanMissingContext(items);
    expect(cleaned.length).to.equal(10);
    expect(cleaned[0]).to.equal('thetime');
    expect(cleaned[1]).to.equal('💥'.repeat(200));
  });
});

const ready = (id: string, projection: Record<string, unknown>): ReadyRecord => {
  const parsed = parseRecord(RUN, id, record(id, projection));
  if (!parsed.ok) throw new Error(parsed.fault);
  return parsed.record;
};

describe('RP-8 the progress snapshot', () => {
  it('states completed checks by template, with typed fields alone', () => {
    const { facts, sources } = progressSnapshot(
      [
        ready('a', logProjection('a')),
        ready('b', emptyLogProjection('b')),
        ready('c', sqlProjection('c', { truncated: true })),
        ready('d', ragProjection('d')),
      ],
      LISTED,
    );
    expect(facts).to.deep.equal([
      'log_search from 2026-11-30T10:00:00.000Z to 2026-11-30T11:00:00.000Z (service checkout, level ERROR and above): 37 matching entries (not all are listed)',
      'log_search from 2026-11-30T10:00:00.000Z to 2026-11-30T11:00:00.000Z (service checkout, level ERROR and above): no matching entry in this search; that does not show that nothing is wrong',
      'mysql_query in database shop: 1 row (more exist)',
      'rag_lookup: 1 document found',
    ]);
    expect(sources.map(({ tool, source }) => `${tool} ${source}`)).to.deep.equal([
      'log_search checkout.log',
      'log_search checkout',
      'mysql_query shop',
      'rag_lookup db/rollback.md',
    ]);
  });
  it('SE-1 shows no free text and no unlisted name', () => {
    const shown = JSON.stringify(
      progressSnapshot([ready('a', logProjection('a')), ready('c', sqlProjection('c'))], {
        services: new Set<string>(),
        databases: new Set<string>(),
      }),
    );
    for (const absent of ['timeout', 'SELECT', '"shop"', 'service']) expect(shown).not.to.include(absent);
  });
});

describe('coverage', () => {
  const window = { from: '2026-11-30T10:30:00.000Z', to: '2026-11-30T11:00:00.000Z' };
  const call = (change: Partial<CoveredCall>): CoveredCall => ({
    tool: 'log_search',
    status: 'READY',
    evidenceStatus: 'EVIDENCE_FOUND',
    errorCode: null,
    truncated: false,
    scope: { window, query: 'secret words', service: 'checkout' },
    repeatsCall: null,
    ...change,
  });
  it('IV-5 tells how each check ended', () => {
    const states = coverage(
      [
        call({}),
        call({ truncated: true }),
        call({ evidenceStatus: 'NO_EVIDENCE' }),
        call({ status: 'ERROR', evidenceStatus: 'ERROR', errorCode: 'TIMEOUT' }),
        call({ status: 'ERROR', evidenceStatus: 'ERROR', errorCode: 'DENIED', scope: null }),
        call({ status: 'ERROR', evidenceStatus: 'ERROR', errorCode: 'CANCELLED' }),
      ],
      window,
      LISTED,
      false,
    ).map(({ state }) => state);
    expect(states).to.deep.equal(['found', 'truncated', 'checked_empty', 'failed', 'denied', 'cancelled']);
  });
  it('SE-1 cuts scopes to typed fields unless the report is published', () => {
    expect(coverage([call({})], window, LISTED, false)[0]?.scope).to.deep.equal({
      window,
      service: 'checkout',
    });
    expect(coverage([call({})], window, LISTED, true)[0]?.scope).to.have.property('query', 'secret words');
  });
  it('says when a check looked outside the window, and leaves out repeats and tools that do not exist', () => {
    const wide = { ...window, from: '2026-11-30T09:00:00.000Z' };
    const items = coverage(
      [call({ scope: { window: wide } }), call({ repeatsCall: 1 }), call({ tool: 'unknown' })],
      window,
      LISTED,
      true,
    );
    expect(items.map(({ outsideWindow }) => outsideWindow)).to.deep.equal([true]);
  });
});

describe('RP-1 the report is the verified Draft, with evidence in the place of IDs', () => {
  const candidate = draft();
  const verdict = checkDraft(RUN, candidate, records());
  if (!verdict.ok || !isConcluded(candidate)) throw new Error('the sample passes');
  const report = buildReport(candidate, verdict.records);

  it('keeps every text, kind, order and flag', () => {
    expect(report.conclusion).to.deep.equal(candidate.conclusion);
    expect(report.analyses.map(({ analysis_id, kind, text }) => ({ analysis_id, kind, text }))).to.deep.equal(
      candidate.analyses.map(({ analysis_id, kind, text }) => ({ analysis_id, kind, text })),
    );
    expect(report.action_plan).to.deep.equal(candidate.action_plan);
    expect(report.limitations).to.deep.equal(candidate.limitations);
    expect(Report.safeParse(report).success).to.equal(true);
  });
  it('puts the result’s counts and its records under each analysis, and no tool call ID', () => {
    expect(report.analyses[0]?.evidence.map(({ source, excerpt }) => [source, excerpt])).to.deep.equal([
      ['result', '{"matched":37,"truncated":true}'],
      ['checkout.log:120', 'ERROR checkout: timeout calling orders after 3000 ms'],
    ]);
    expect(report.analyses[1]?.evidence.map(({ excerpt }) => excerpt)).to.deep.equal([
      '{"matched":0,"truncated":false}',
    ]);
    expect(JSON.stringify(report)).not.to.match(/call_(log|empty)/);
  });
  it('SR-10 the published result has its five fields', () => {
    const result = publishedResult('why?', candidate, verdict.records);
    expect(Object.keys(result).sort()).to.deep.equal([
      'limitations',
      'published_conclusion',
      'scope',
      'source_documents',
      'user_query',
    ]);
    expect(PublishedResult.safeParse(result).success).to.equal(true);
    expect(JSON.stringify(result)).not.to.match(/call_log|timeout calling/);
  });
  it('a fallback fits its schema', () => {
    expect(Fallback.safeParse(safeFallback('OUT_OF_SCOPE')).success).to.equal(true);
  });
});

describe('RP-1 a report is bounded', () => {
  it('long texts of a scope stand once per call, and calls beyond the room show their counts', () => {
    const rows = Array.from({ length: 200 }, (_, n) => [n]);
    const sql = `SELECT ${'x'.repeat(10_000)} FROM t`;
    const scope = { database: 'shop', sql, limit: 200, assumptions: [] };
    const source = new Map([
      [
        'call_sql',
        record('call_sql', sqlProjection('call_sql', { scope, columns: ['n'], rows, row_count: 200 })),
      ],
    ]);
    const analyses = Array.from({ length: 60 }, (_, n) => ({
      analysis_id: `A${n}`,
      kind: 'NORMAL',
      text: 'x',
      tool_call_ids: ['call_sql'],
    }));
    const candidate = draft({
      conclusion: { text: 'x', analysis_ids: ['A0'] },
      analyses,
      action_plan: [],
      recommendations: [],
    });
    const verdict = checkDraft(RUN, candidate, source);
    if (!verdict.ok || !isConcluded(candidate)) throw new Error('the sample passes');
    const report = buildReport(candidate, verdict.records);
    expect(report.analyses[0]?.evidence).to.have.length(201);
    expect(report.analyses[0]?.evidence[0]?.scope).to.deep.equal(scope);
    expect(JSON.stringify(report.analyses[0]?.evidence[1]?.scope)).to.have.length.below(400);
    expect(report.analyses.at(-1)?.evidence.map(({ source: from }) => from)).to.deep.equal(['result']);
    expect(JSON.stringify(report)).to.have.length.below(2_000_000);
  });
});
