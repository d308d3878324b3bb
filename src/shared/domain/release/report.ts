/** The published report (RP-1): the verified Draft as it was, with verified evidence in the place of tool call IDs. */
import { ANALYSIS_KINDS } from '../contracts/draft.js';
import type { EvidenceItem, KnowledgeReference, PublishedResult, Report } from '../contracts/report.js';
import type { ReadyRecord } from '../guards/canonical-record.js';
import { canonicalJson } from '../guards/canonical-json.js';
import { evidenceItems, resultFacts } from '../guards/evidence-items.js';
import type { ConcludedDraft } from '../guards/semantic.js';
import { utf8ByteLength } from '../guards/utf8-length.js';

/** Bytes of evidence in one report; beyond them a call shows its counts alone. */
const MAX_EVIDENCE_BYTES = 786_432;
/** A scope stands whole at the head of its call's records; on each record a longer text of it is clipped. */
const MAX_SCOPE_TEXT = 200;

/** @param records the resolved references of a Draft that EvidenceGuard passed. */
export function buildReport(draft: ConcludedDraft, records: ReadonlyMap<string, ReadyRecord>): Report {
  const room = { bytes: MAX_EVIDENCE_BYTES };
  return {
    conclusion: draft.conclusion,
    analyses: draft.analyses.map((analysis) => ({
      analysis_id: analysis.analysis_id,
      kind: kindOf(analysis.kind),
      text: analysis.text,
      evidence: [...new Set(analysis.tool_call_ids)].flatMap((id) => {
        const record = records.get(id);
        return record === undefined ? [] : reportEvidence(record, room);
      }),
    })),
    action_plan: draft.action_plan,
    recommendations: draft.recommendations,
    limitations: draft.limitations,
  };
}

function kindOf(kind: string): (typeof ANALYSIS_KINDS)[number] {
  const known = ANALYSIS_KINDS.find((name) => name === kind);
  if (known === undefined) throw new TypeError('a Draft that passed EvidenceGuard has known kinds');
  return known;
}

/**
 * The result's own counts first: they are evidence when no single record is (a count, an empty search). Records follow
 * as far as the report has room.
 */
function reportEvidence(record: ReadyRecord, room: { bytes: number }): EvidenceItem[] {
  const scope: Record<string, unknown> = { ...record.projection.scope };
  const head: EvidenceItem = {
    tool: record.tool,
    source: 'result',
    scope,
    timestamp: record.finishedAt,
    excerpt: canonicalJson(resultFacts(record.projection)),
  };
  const recordScope = clippedScope(scope);
  const items = evidenceItems(record).map((item) => ({ tool: record.tool, scope: recordScope, ...item }));
  room.bytes -= utf8ByteLength(canonicalJson([head, ...items]));
  return room.bytes < 0 ? [head] : [head, ...items];
}

function clippedScope(scope: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(scope).map(([name, value]) => [
      name,
      typeof value === 'string' && value.length > MAX_SCOPE_TEXT
        ? `${value.slice(0, MAX_SCOPE_TEXT)}…`
        : value,
    ]),
  );
}

/** SR-10: what later turns and the case library may use of a released report; five fields and no more. */
export function publishedResult(
  query: string,
  draft: ConcludedDraft,
  records: ReadonlyMap<string, ReadyRecord>,
): PublishedResult {
  const cited = [...records.values()];
  return {
    user_query: query,
    published_conclusion: draft.conclusion.text,
    scope: cited.map((record) => ({ tool: record.tool, ...record.projection.scope })),
    limitations: draft.limitations,
    source_documents: sourceDocuments(cited),
  };
}

function sourceDocuments(records: readonly ReadyRecord[]): KnowledgeReference[] {
  const found = new Map<string, KnowledgeReference>();
  for (const { projection } of records) {
    if (projection.tool !== 'rag_lookup') continue;
    for (const { document_id, title, source } of projection.documents)
      found.set(document_id, { document_id, title, source });
  }
  return [...found.values()];
}
