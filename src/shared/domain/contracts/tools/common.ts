/** What every projection and every scope has in common. */
import { z } from 'zod';
import { ToolCallId } from '../ids.js';

export const TOOL_NAMES = ['rag_lookup', 'log_search', 'mysql_query'] as const;
export const ToolName = z.enum(TOOL_NAMES);
export type ToolName = z.infer<typeof ToolName>;

/** Evidence status of a READY projection. */
export const ReadyEvidenceStatus = z.enum(['EVIDENCE_FOUND', 'NO_EVIDENCE']);
export type ReadyEvidenceStatus = z.infer<typeof ReadyEvidenceStatus>;

/** What was assumed or clamped to run the request, one sentence each, e.g. `limit 500 was clamped to 100`. */
export const Assumptions = z.array(z.string());

export const ProjectionHead = { tool_call_id: ToolCallId, evidence_status: ReadyEvidenceStatus };
