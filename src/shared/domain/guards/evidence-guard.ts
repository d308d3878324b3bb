/**
 * EvidenceGuard (EG-1 … EG-9): deterministic, and the only way from a Draft to a snapshot. Every reference resolves by
 * `runId + toolCallId` to a canonical record of this Run, or the Draft does not pass.
 */
import { ANALYSIS_KINDS, type Draft, type DraftAnalysis } from '../contracts/draft.js';
import type { EvidenceSnapshot } from '../prompts/payloads.js';
import { parseRecord, type RawRecord, type ReadyRecord } from './canonical-record.js';
import { checkStructure } from './draft-structure.js';
import { buildSnapshot } from './snapshot.js';
import type { Violation } from './violations.js';

/** What the canonical store holds for each referenced ID; null (or missing) where nothing stands. */
export type RecordSource = ReadonlyMap<string, RawRecord | null>;

export type GuardVerdict =
  | { ok: true; snapshot: EvidenceSnapshot; records: ReadonlyMap<string, ReadyRecord> }
  | { ok: false; violations: Violation[] };

/** The tool call IDs that a Draft refers to, each once, in order. */
export function referencedIds(draft: Draft): string[] {
  return [...new Set(draft.analyses.flatMap((analysis) => analysis.tool_call_ids))];
}

/** For a Draft with a conclusion. */
export function checkDraft(runId: string, draft: Draft, source: RecordSource): GuardVerdict {
  const violations = checkStructure(draft);
  const records = new Map<string, ReadyRecord>();
  draft.analyses.forEach((analysis, index) => {
    const { resolved, faults } = resolve(runId, analysis, `analyses.${index}`, source);
    for (const [id, record] of resolved) records.set(id, record);
    violations.push(...faults);
  });
  if (violations.length > 0) return { ok: false, violations };
  return { ok: true, snapshot: buildSnapshot(draft, records), records };
}

/**
 * For a Draft without one (EG-4, EG-5): no normal structure is required, nothing is repaired; each analysis's authentic
 * references are kept and every other is left out.
 */
export function checkNoConclusion(runId: string, draft: Draft, source: RecordSource): ReadyRecord[] {
  const accepted = new Map<string, ReadyRecord>();
  for (const analysis of draft.analyses) {
    for (const [id, record] of resolve(runId, analysis, '', source).resolved) accepted.set(id, record);
  }
  return [...accepted.values()];
}

function resolve(
  runId: string,
  analysis: DraftAnalysis,
  path: string,
  source: RecordSource,
): { resolved: [string, ReadyRecord][]; faults: Violation[] } {
  const resolved: [string, ReadyRecord][] = [];
  const faults: Violation[] = [];
  analysis.tool_call_ids.forEach((id, index) => {
    const outcome = resolveOne(runId, analysis, id, source);
    if ('record' in outcome) resolved.push([id, outcome.record]);
    else faults.push({ ...outcome, path: `${path}.tool_call_ids.${index}` });
  });
  return { resolved, faults };
}

type Resolution = { record: ReadyRecord } | Pick<Violation, 'code' | 'message'>;

function resolveOne(runId: string, analysis: DraftAnalysis, id: string, source: RecordSource): Resolution {
  const raw = source.get(id) ?? null;
  if (raw === null)
    return { code: 'REFERENCE_UNRESOLVED', message: 'no invocation of this Run has this tool_call_id' };
  const parsed = parseRecord(runId, id, raw);
  if (!parsed.ok) {
    switch (parsed.fault) {
      case 'OTHER_RUN':
      case 'OTHER_CALL':
        return { code: 'REFERENCE_UNRESOLVED', message: 'no invocation of this Run has this tool_call_id' };
      case 'NOT_READY':
      case 'NO_RESULT':
        return {
          code: 'REFERENCE_NOT_READY',
          message: 'this call failed or did not finish, so it is no evidence',
        };
      case 'MALFORMED':
      case 'UNKNOWN_TOOL':
      case 'BAD_PROJECTION':
      case 'STATUS_MISMATCH':
      case 'SCOPE_MISMATCH':
        return { code: 'REFERENCE_BROKEN', message: 'the record of this call cannot be used as evidence' };
    }
  }
  const { record } = parsed;
  if (!kindFits(analysis.kind, record.evidenceStatus))
    return {
      code: 'KIND_MISMATCH',
      message: `${record.evidenceStatus} does not support an analysis of this kind: NORMAL needs EVIDENCE_FOUND, NEGATIVE_OBSERVATION needs NO_EVIDENCE`,
    };
  return { record };
}

/** EG-7. */
function kindFits(kind: string, status: ReadyRecord['evidenceStatus']): boolean {
  const [normal, negative] = ANALYSIS_KINDS;
  if (kind === normal) return status === 'EVIDENCE_FOUND';
  return kind === negative && status === 'NO_EVIDENCE';
}
