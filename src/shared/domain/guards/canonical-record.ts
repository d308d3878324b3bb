/**
 * A canonical record read back as what it is: untrusted text. Everything that does not fit exactly fails closed
 * (EG-6, EG-9), and a rejected record gives nothing of its content away.
 */
import { CanonicalInvocation } from '../contracts/invocation.js';
import type { UtcTimestamp } from '../contracts/ids.js';
import { isToolName, TOOL_CONTRACTS, type Projection } from '../contracts/tools/catalogue.js';
import type { ToolName } from '../contracts/tools/common.js';
import type { z } from 'zod';
import { canonicalJson } from './canonical-json.js';
import { parseStrictJson } from './model-json.js';

/** The hash as the store gives it. */
export type RawRecord = Readonly<Record<string, string>>;

export type RecordFault =
  | 'MALFORMED'
  | 'OTHER_RUN'
  | 'OTHER_CALL'
  | 'NOT_READY'
  | 'UNKNOWN_TOOL'
  | 'NO_RESULT'
  | 'BAD_PROJECTION'
  | 'STATUS_MISMATCH'
  | 'SCOPE_MISMATCH';

export interface ReadyRecord {
  toolCallId: string;
  tool: ToolName;
  evidenceStatus: 'EVIDENCE_FOUND' | 'NO_EVIDENCE';
  projection: Projection;
  finishedAt: z.infer<typeof UtcTimestamp>;
}

export type ParsedRecord = { ok: true; record: ReadyRecord } | { ok: false; fault: RecordFault };

/** Accepts a record of this Run and call that is READY with evidence or a scoped absence of it, nothing else. */
export function parseRecord(runId: string, toolCallId: string, raw: RawRecord): ParsedRecord {
  const shaped = CanonicalInvocation.safeParse(raw);
  if (!shaped.success) return { ok: false, fault: 'MALFORMED' };
  const { data } = shaped;
  if (data.run_id !== runId) return { ok: false, fault: 'OTHER_RUN' };
  if (data.tool_call_id !== toolCallId) return { ok: false, fault: 'OTHER_CALL' };
  if (data.status !== 'READY' || data.finished_at === '') return { ok: false, fault: 'NOT_READY' };
  if (data.evidence_status !== 'EVIDENCE_FOUND' && data.evidence_status !== 'NO_EVIDENCE')
    return { ok: false, fault: 'STATUS_MISMATCH' };
  if (!isToolName(data.tool)) return { ok: false, fault: 'UNKNOWN_TOOL' };
  if (data.agent_result.trim() === '') return { ok: false, fault: 'NO_RESULT' };
  const projection = parseProjection(data.tool, data.agent_result);
  if (projection === null) return { ok: false, fault: 'BAD_PROJECTION' };
  if (projection.tool_call_id !== toolCallId) return { ok: false, fault: 'OTHER_CALL' };
  if (projection.evidence_status !== data.evidence_status) return { ok: false, fault: 'STATUS_MISMATCH' };
  const scope = parseStrictJson(data.scope);
  if (!scope.ok || canonicalJson(scope.value) !== canonicalJson(projection.scope))
    return { ok: false, fault: 'SCOPE_MISMATCH' };
  return {
    ok: true,
    record: {
      toolCallId,
      tool: data.tool,
      evidenceStatus: data.evidence_status,
      projection,
      finishedAt: data.finished_at,
    },
  };
}

function parseProjection(tool: ToolName, text: string): Projection | null {
  const json = parseStrictJson(text);
  if (!json.ok) return null;
  const parsed = TOOL_CONTRACTS[tool].projection.safeParse(json.value);
  if (!parsed.success) return null;
  // Nothing found by a search that was cut short is no negative observation (IV-5).
  if (parsed.data.evidence_status === 'NO_EVIDENCE' && parsed.data.truncated) return null;
  return parsed.data;
}
