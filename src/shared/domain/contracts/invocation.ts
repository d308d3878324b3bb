/**
 * The canonical invocation (IV-1 … IV-5): what one tool call of one Run came to.
 * `status` is the lifecycle of the projection, `evidence_status` the meaning of the result.
 */
import { z } from 'zod';
import { UtcTimestamp } from './ids.js';

export const InvocationStatus = z.enum(['PROJECTING', 'READY', 'ERROR']);
export type InvocationStatus = z.infer<typeof InvocationStatus>;

export const EvidenceStatus = z.enum(['EVIDENCE_FOUND', 'NO_EVIDENCE', 'ERROR']);
export type EvidenceStatus = z.infer<typeof EvidenceStatus>;

/**
 * The record as it stands in Redis under `runId + toolCallId`. Every field is read back as untrusted text:
 * EvidenceGuard parses `scope` and `agent_result` strictly and fails closed (EG-9).
 */
export const CanonicalInvocation = z.strictObject({
  run_id: z.string(),
  tool_call_id: z.string(),
  tool: z.string(),
  status: InvocationStatus,
  /** Empty while PROJECTING. */
  evidence_status: z.union([EvidenceStatus, z.literal('')]),
  /** JSON text of the tool's scope; empty while PROJECTING. */
  scope: z.string(),
  /** JSON text of the tool's projection; empty unless READY. */
  agent_result: z.string(),
  started_at: UtcTimestamp,
  finished_at: z.union([UtcTimestamp, z.literal('')]),
});
export type CanonicalInvocation = z.infer<typeof CanonicalInvocation>;

/** How a check ended, for coverage. `denied`: refused by policy or by the account. */
export const CoverageState = z.enum(['found', 'checked_empty', 'failed', 'denied', 'truncated', 'cancelled']);
export type CoverageState = z.infer<typeof CoverageState>;

/** Why an invocation ended in ERROR; told to the model in words, never published. */
export const InvocationErrorCode = z.enum([
  'INVALID_TOOL_CALL_ID',
  'DUPLICATE_TOOL_CALL_ID',
  'UNKNOWN_TOOL',
  'INVALID_ARGUMENTS',
  'DENIED',
  'TIMEOUT',
  'CANCELLED',
  'UNAVAILABLE',
  'TOO_LARGE',
  'LOST',
  'FAILED',
]);
export type InvocationErrorCode = z.infer<typeof InvocationErrorCode>;
