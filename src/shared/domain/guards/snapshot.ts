/**
 * The verified evidence snapshot (EG-8): grouped by analysis in the Draft's order, each referenced invocation once per
 * analysis. It holds no tool call ID, no key, nothing raw, nothing unreferenced; the same input gives the same bytes.
 */
import type { Draft } from '../contracts/draft.js';
import type { EvidenceSnapshot, SnapshotEvidence } from '../prompts/payloads.js';
import type { ReadyRecord } from './canonical-record.js';
import { evidenceItems, resultFacts } from './evidence-items.js';

/** @param records resolved references by tool call ID; all of the Draft's references are in it. */
export function buildSnapshot(draft: Draft, records: ReadonlyMap<string, ReadyRecord>): EvidenceSnapshot {
  return {
    analyses: draft.analyses.map((analysis) => ({
      analysis_id: analysis.analysis_id,
      kind: analysis.kind,
      evidence: [...new Set(analysis.tool_call_ids)].flatMap((id) => {
        const record = records.get(id);
        return record === undefined ? [] : [evidenceOf(record)];
      }),
    })),
  };
}

export function evidenceOf(record: ReadyRecord): SnapshotEvidence {
  return {
    tool: record.tool,
    evidence_status: record.evidenceStatus,
    scope: { ...record.projection.scope },
    result: resultFacts(record.projection),
    items: evidenceItems(record),
  };
}
