/**
 * The scenarios of the review, each walked through the pure core in the order in which a release job asks it: what a
 * model wrote is read, judged against canonical records, and decided upon.
 */
import { expect } from 'chai';
import { Draft } from '../../src/shared/domain/contracts/draft.js';
import type { FallbackType } from '../../src/shared/domain/contracts/report.js';
import {
  parseRecord,
  type RawRecord,
  type ReadyRecord,
} from '../../src/shared/domain/guards/canonical-record.js';
import { readDraft } from '../../src/shared/domain/guards/draft-reply.js';
import {
  checkDraft,
  checkNoConclusion,
  referencedIds,
} from '../../src/shared/domain/guards/evidence-guard.js';
import { isReferenceRepair, repairPayload } from '../../src/shared/domain/guards/repair.js';
import { isConcluded, readVerdict, semanticMessages } from '../../src/shared/domain/guards/semantic.js';
import { RepairPayload } from '../../src/shared/domain/prompts/payloads.js';
import { repairMessages } from '../../src/shared/domain/prompts/repair.js';
import { decideRelease, type ReviewFacts } from '../../src/shared/domain/release/policy.js';
import { progressSnapshot, verifiedSources } from '../../src/shared/domain/release/progress.js';
import { buildReport, publishedResult } from '../../src/shared/domain/release/report.js';
import { safeFallback } from '../../src/shared/domain/release/safe-fallback.js';
import { draft, logProjection, OTHER_RUN, record, records, RUN } from './sample-records.js';

const LISTED = { services: new Set(['checkout']), databases: new Set(['shop']) };
const answered = (content: string) => ({ content, finishReason: 'stop', refused: false, toolCalls: [] });

function fallbackOf(facts: ReviewFacts): { type: FallbackType; sources: string; facts: boolean } {
  const decision = decideRelease(facts);
  if (decision.outcome !== 'FALLBACK') throw new Error(decision.outcome);
  return { type: decision.type, sources: decision.sources, facts: decision.facts };
}

function ready(source: Map<string, RawRecord | null>): ReadyRecord[] {
  return [...source].flatMap(([id, raw]) => {
    const parsed = raw === null ? null : parseRecord(RUN, id, raw);
    return parsed?.ok === true ? [parsed.record] : [];
  });
}

describe('EG-3 violations stop a Draft before SemanticGuard', () => {
  it('a rejected Draft yields no snapshot, so there is nothing to ask SemanticGuard about', () => {
    const twins = draft({ analyses: [draft().analyses[0]!, draft().analyses[0]!] });
    const verdict = checkDraft(RUN, twins, records());
    expect(verdict.ok).to.equal(false);
    expect(verdict).not.to.have.any.keys('snapshot', 'records');
  });
});

describe('EG-5 a fabricated reference of a no-conclusion Draft', () => {
  it('is in no fact and no source', () => {
    const source = records();
    source.set(
      'foreign',
      record('foreign', logProjection('foreign', { matched: 99 }), { run_id: OTHER_RUN }),
    );
    const candidate = draft({
      conclusion: null,
      analyses: [
        {
          analysis_id: 'A1',
          kind: 'NORMAL',
          text: 'x',
          tool_call_ids: ['ghost', 'foreign', 'call_log', 'call_log'],
        },
      ],
    });
    const accepted = checkNoConclusion(RUN, candidate, source);
    expect(accepted.map(({ toolCallId }) => toolCallId)).to.deep.equal(['call_log']);
    const shown = JSON.stringify(progressSnapshot(accepted, LISTED));
    expect(shown)
      .to.include('37 matching entries')
      .and.not.match(/99|ghost|foreign/);
  });
});

describe('ER-1 the repair', () => {
  const wrong = draft({
    analyses: [{ ...draft().analyses[0]!, tool_call_ids: ['call_lgo'] }, draft().analyses[1]!],
  });
  const first = checkDraft(RUN, wrong, records());
  if (first.ok) throw new Error('the sample is wrong');

  it('is asked in one message with the Draft, the violations and the calls that may be cited', () => {
    const citable = [{ tool_call_id: 'call_log', tool: 'log_search', evidence_status: 'EVIDENCE_FOUND' }];
    const messages = repairMessages(repairPayload(wrong, first.violations, citable));
    expect(messages.map(({ role }) => role)).to.deep.equal(['system', 'user']);
    expect(RepairPayload.parse(JSON.parse(messages[1]?.content ?? ''))).to.deep.equal({
      draft: wrong,
      violations: [
        {
          code: 'REFERENCE_UNRESOLVED',
          path: 'analyses.0.tool_call_ids.0',
          message: 'no invocation of this Run has this tool_call_id',
        },
      ],
      invocations: citable,
    });
  });
  it('is told of a bounded number of violations', () => {
    const many = Array.from({ length: 400 }, () => first.violations[0]!);
    expect(repairPayload(wrong, many, []).violations.length).to.equal(50);
  });
  it('ER-3 that changes references alone and passes goes on to SemanticGuard', () => {
    const read = readDraft(answered(JSON.stringify(draft())), Draft);
    expect(read.ok && isReferenceRepair(wrong, read.draft)).to.equal(true);
    expect(read.ok && checkDraft(RUN, read.draft, records()).ok).to.equal(true);
  });
  it('ER-2 that mends the text too is refused, though EvidenceGuard would pass it', () => {
    const better = draft({ limitations: ['One service was looked at, briefly.'] });
    expect(checkDraft(RUN, better, records()).ok).to.equal(true);
    expect(isReferenceRepair(wrong, better)).to.equal(false);
  });
  it('ER-3 that fails again ends without sources', () => {
    expect(isReferenceRepair(wrong, wrong)).to.equal(true);
    expect(checkDraft(RUN, wrong, records()).ok).to.equal(false);
    expect(fallbackOf({ kind: 'concluded', evidence: 'rejected' })).to.deep.equal({
      type: 'EVIDENCE_VALIDATION_FAILED',
      sources: 'none',
      facts: false,
    });
  });
});

describe('SG-1 the review sees the whole visible Draft and its evidence alone', () => {
  const candidate = draft();
  const verdict = checkDraft(RUN, candidate, records());
  if (!verdict.ok || !isConcluded(candidate)) throw new Error('the sample passes');
  const { messages } = semanticMessages('why?', candidate, verdict.snapshot);
  const sent = messages[1]?.content ?? '';

  it('every section a reader will see is in it', () => {
    const texts = [
      candidate.conclusion.text,
      ...[...candidate.analyses, ...candidate.action_plan, ...candidate.recommendations].map(
        ({ text }) => text,
      ),
      ...candidate.limitations,
    ];
    for (const text of texts) expect(sent).to.include(JSON.stringify(text));
    expect(sent).to.include('"requires_human_confirmation":true');
  });
  it('and no ID, key, history or tool', () => {
    for (const id of referencedIds(candidate)) expect(sent).not.to.include(id);
    expect(sent).not.to.match(
      /tool_call|sworn:|conversation|previous_turn|agent_result|Stop writers|9007199254740993/,
    );
    expect(messages.every((message) => message.role !== 'tool')).to.equal(true);
  });
  it('RP-1 what it supports is published to the letter', () => {
    const read = readVerdict(answered('{"verdict":"SUPPORTED","reason":"it holds"}'), 4096);
    expect(read.ok && read.value.verdict).to.equal('SUPPORTED');
    expect(decideRelease({ kind: 'concluded', evidence: 'passed', semantic: 'SUPPORTED' })).to.deep.equal({
      outcome: 'SUCCESS',
      publish: 'report',
    });
    const report = buildReport(candidate, verdict.records);
    const { analyses, ...rest } = report;
    const { analyses: drafted, missing_context: _unseen, ...written } = candidate;
    expect(rest).to.deep.equal(written);
    expect(analyses.map(({ evidence: _evidence, ...analysis }) => analysis)).to.deep.equal(
      drafted.map(({ tool_call_ids: _ids, ...analysis }) => analysis),
    );
  });
});

describe('EG-8 EG-10 one call cited twice, and a document', () => {
  const cited = draft({
    analyses: [
      { analysis_id: 'A1', kind: 'NORMAL', text: 'x', tool_call_ids: ['call_rag', 'call_log', 'call_rag'] },
      { analysis_id: 'A2', kind: 'NORMAL', text: 'y', tool_call_ids: ['call_rag'] },
    ],
  });
  const verdict = checkDraft(RUN, cited, records());
  if (!verdict.ok || !isConcluded(cited)) throw new Error('the sample passes');

  it('stands once under each analysis that cites it, in the Draft’s order', () => {
    expect(verdict.snapshot.analyses.map(({ evidence }) => evidence.map(({ tool }) => tool))).to.deep.equal([
      ['rag_lookup', 'log_search'],
      ['rag_lookup'],
    ]);
    const shown = buildReport(cited, verdict.records).analyses.map(({ evidence }) => evidence.length);
    expect(shown).to.deep.equal([4, 2]);
  });
  it('a document has the time of its last change', () => {
    expect(verdict.snapshot.analyses[1]?.evidence[0]?.items[0]?.timestamp).to.equal(
      '2026-10-01T00:00:00.000Z',
    );
  });
  it('SR-10 the published result names it once, without its text', () => {
    const { source_documents: documents, scope } = publishedResult('why?', cited, verdict.records);
    expect(documents).to.deep.equal([
      { document_id: 'db/rollback', title: 'Rolling back a migration', source: 'db/rollback.md' },
    ]);
    expect(scope.map(({ tool }) => tool)).to.deep.equal(['rag_lookup', 'log_search']);
  });
});

describe('RP-3 a fallback holds nothing of the Draft', () => {
  const candidate = draft({
    conclusion: { text: 'CONCLUSION-WORDS', analysis_ids: ['A1'] },
    analyses: [{ analysis_id: 'A1', kind: 'NORMAL', text: 'ANALYSIS-WORDS', tool_call_ids: ['call_log'] }],
    missing_context: ['CONTEXT-WORDS'],
  });
  const verdict = checkDraft(RUN, candidate, records());
  if (!verdict.ok) throw new Error('the sample passes');
  const cited = [...verdict.records.values()].flatMap((item) => verifiedSources(item, LISTED));

  it('RP-5 unsupported: its sources are those of the snapshot, its words are fixed', () => {
    const { type, sources, facts } = fallbackOf({
      kind: 'concluded',
      evidence: 'passed',
      semantic: 'UNSUPPORTED',
    });
    expect([sources, facts]).to.deep.equal(['snapshot', false]);
    const fallback = safeFallback(type, { sources: cited });
    expect(fallback.verified_sources.map(({ source }) => source)).to.deep.equal(['checkout.log']);
    expect(JSON.stringify(fallback)).not.to.match(/-WORDS|timeout|call_log/);
  });
  it('RP-8 a controlled stop tells completed checks alone', () => {
    const source = records().set('open', record('open', logProjection('open'), { status: 'PROJECTING' }));
    const { sources, facts } = progressSnapshot(ready(source), LISTED);
    const fallback = safeFallback('INSUFFICIENT_EVIDENCE', { sources, facts });
    expect(fallback.observed_facts.length).to.equal(4);
    expect(JSON.stringify(fallback)).not.to.match(/SATURATION|BUDGET|SELECT|timeout calling|Stop writers/);
  });
  it('RP-8 is bounded, whatever was checked', () => {
    const busy = logProjection('busy', {
      matched: 300,
      entries: Array.from({ length: 30 }, (_, index) => ({
        timestamp: '2026-11-30T10:12:00.000Z',
        service: 'checkout',
        level: 'ERROR',
        message: 'm',
        source: `file-${Math.floor(index / 2)}.log:${index + 1}`,
      })),
    });
    const [check] = ready(new Map([['busy', record('busy', busy)]]));
    const places = verifiedSources(check!, LISTED).map(({ source }) => source);
    expect(places).to.deep.equal(Array.from({ length: 10 }, (_, index) => `file-${index}.log`));
    const { sources, facts } = progressSnapshot(
      Array.from({ length: 60 }, () => check!),
      LISTED,
    );
    const fallback = safeFallback('INSUFFICIENT_EVIDENCE', { sources, facts });
    expect([fallback.verified_sources.length, fallback.observed_facts.length]).to.deep.equal([50, 50]);
  });
  it('RP-9 an invalid Draft gives nothing to it', () => {
    expect(readDraft(answered(JSON.stringify({ ...candidate, extra: 1 })), Draft).ok).to.equal(false);
    expect(fallbackOf({ kind: 'invalid_draft' })).to.deep.equal({
      type: 'INSUFFICIENT_EVIDENCE',
      sources: 'progress',
      facts: true,
    });
  });
  it('RP-7 only what is missing is taken over, and only where nothing was called', () => {
    const decision = decideRelease({
      kind: 'no_conclusion',
      toolCalls: false,
      missingContext: true,
    });
    expect(decision).to.include({ type: 'MISSING_REQUIRED_CONTEXT', missingContext: true, facts: false });
    for (const toolCalls of [true, false])
      for (const missingContext of [true, false]) {
        const other = decideRelease({ kind: 'no_conclusion', toolCalls, missingContext });
        expect(other.outcome === 'FALLBACK' && other.missingContext).to.equal(missingContext && !toolCalls);
      }
  });
});
