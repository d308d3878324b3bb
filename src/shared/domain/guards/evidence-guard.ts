/**
 * EvidenceGuard (EG-1 … EG-9): deterministic, and the only way from a Draft to a snapshot. Every reference resolves by
 * `runId + toolCallId` to a canonical record of this Run, or the Draft does not pass. A rejected reference tells nothing
 * of the record behind it: not even that another Run has one (EG-6).
 */
import type { AnalysisKind, Draft, DraftAnalysis } from '../contracts/draft.js';
import type { ReadyEvidenceStatus } from '../contracts/tools/common.js';
import type { EvidenceSnapshot } from '../prompts/payloads.js';
import {
  parseRecord,
  type ParsedRecord,
  type RawRecord,
  type ReadyRecord,
  type RecordFault,
} from './canonical-record.js';
import { checkSizes, checkStructure, isAnalysisKind } from './draft-structure.js';
import { buildSnapshot } from './snapshot.js';
import { violation, type Violation } from './violations.js';

/** What the canonical store holds for each referenced ID; null (or missing) where nothing stands. */
export type RecordSource = ReadonlyMap<string, RawRecord | null>;

export type GuardVerdict =
  | { ok: true; snapshot: EvidenceSnapshot; records: ReadonlyMap<string, ReadyRecord> }
  | { ok: false; violations: Violation[] };

/** The tool call IDs that a Draft refers to, each once, in order. */
export function referencedIds(draft: Draft): string[] {
  return [...new Set(draft.analyses.flatMap((analysis) => analysis.tool_call_ids))];
}

/**
 * For a Draft with a conclusion. `violations` is never empty when `ok` is false.
 * @param runIds every tool call ID of the Run: none of them may stand in visible text (SG-1).
 */
export function checkDraft(
  runId: string,
  draft: Draft,
  source: RecordSource,
  runIds: readonly string[] = [],
): GuardVerdict {
  const oversize = checkSizes(draft);
  if (oversize.length > 0) return { ok: false, violations: oversize };
  const { records, faults } = resolveAll(runId, draft, source);
  const violations = [...checkStructure(draft, runIds), ...faults];
  if (violations.length > 0) return { ok: false, violations };
  return { ok: true, snapshot: buildSnapshot(draft, records), records };
}

/**
 * For a Draft without one (EG-4, EG-5): no normal structure is required and nothing is repaired. Authentic references
 * that obey EG-7 are kept, each once, in the Draft's order; every other is left out. Of a Draft over its limits none is.
 */
export function checkNoConclusion(runId: string, draft: Draft, source: RecordSource): ReadyRecord[] {
  if (checkSizes(draft).length > 0) return [];
  return [...resolveAll(runId, draft, source).records.values()];
}

function resolveAll(
  runId: string,
  draft: Draft,
  source: RecordSource,
): { records: Map<string, ReadyRecord>; faults: Violation[] } {
  const records = new Map<string, ReadyRecord>();
  const faults: Violation[] = [];
  const parsed = parseEach(runId, referencedIds(draft), source);
  draft.analyses.forEach((analysis, index) => {
    analysis.tool_call_ids.forEach((id, position) => {
      const outcome = resolve(analysis, parsed.get(id) ?? null);
      if ('record' in outcome) records.set(id, outcome.record);
      else
        faults.push(violation(outcome.code, `analyses.${index}.tool_call_ids.${position}`, outcome.message));
    });
  });
  return { records, faults };
}

type Resolution = { record: ReadyRecord } | Pick<Violation, 'code' | 'message'>;

const UNRESOLVED = {
  code: 'REFERENCE_UNRESOLVED',
  message: 'no invocation of this Run has this tool_call_id',
} as const;

/** Each record once, however often it is cited. */
function parseEach(
  runId: string,
  ids: readonly string[],
  source: RecordSource,
): ReadonlyMap<string, ParsedRecord | null> {
  return new Map(
    ids.map((id) => {
      const raw = source.get(id) ?? null;
      return [id, raw === null ? null : parseRecord(runId, id, raw)];
    }),
  );
}

function resolve(analysis: DraftAnalysis, parsed: ParsedRecord | null): Resolution {
  if (parsed === null) return UNRESOLVED;
  if (!parsed.ok) return refusal(parsed.fault);
  const { record } = parsed;
  if (!kindFits(analysis.kind, record.evidenceStatus))
    return {
      code: 'KIND_MISMATCH',
      message: `${record.evidenceStatus} does not support an analysis of this kind: NORMAL needs EVIDENCE_FOUND, NEGATIVE_OBSERVATION needs NO_EVIDENCE`,
    };
  return { record };
}

function refusal(fault: RecordFault): Pick<Violation, 'code' | 'message'> {
  switch (fault) {
    case 'OTHER_RUN':
    case 'OTHER_CALL':
      return UNRESOLVED;
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

/** EG-7. An unknown kind fits nothing. */
const SUPPORTING: Readonly<Record<AnalysisKind, ReadyEvidenceStatus>> = {
  NORMAL: 'EVIDENCE_FOUND',
  NEGATIVE_OBSERVATION: 'NO_EVIDENCE',
};

function kindFits(kind: string, status: ReadyEvidenceStatus): boolean {
  return isAnalysisKind(kind) && SUPPORTING[kind] === status;
}
