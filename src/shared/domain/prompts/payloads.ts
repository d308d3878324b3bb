/**
 * What each stage's user message carries: JSON, never concatenated text, so that nothing inside a query, a log line or a
 * Draft can pose as an instruction. The system message explains the fields; the offline analyst reads the same schemas.
 */
import { z } from 'zod';
import { DraftAction, DraftStatement } from '../contracts/draft.js';
import { PublishedResult } from '../contracts/report.js';
import { ReadyEvidenceStatus } from '../contracts/tools/common.js';
import { Intent } from '../contracts/verdict.js';
import { Window } from '../contracts/window.js';

export const ConversationTurn = z.strictObject({ query: z.string(), answer: z.string() });
export type ConversationTurn = z.infer<typeof ConversationTurn>;

export const RouterPayload = z.strictObject({
  query: z.string(),
  conversation: z.array(ConversationTurn),
  last_intent: Intent.nullable(),
  previous_turn: PublishedResult.nullable(),
});
export type RouterPayload = z.infer<typeof RouterPayload>;

/** Names that the backends list: what can be asked about. */
export const Material = z.strictObject({
  services: z.array(z.string()),
  databases: z.array(z.strictObject({ name: z.string(), tables: z.array(z.string()) })),
});
export type Material = z.infer<typeof Material>;

/** Diagnosis and knowledge rounds: the first user message. */
export const AgentPayload = z.strictObject({
  query: z.string(),
  /** The Run's one incident window. */
  window: Window,
  conversation: z.array(ConversationTurn),
  previous_turn: PublishedResult.nullable(),
  material: Material,
});
export type AgentPayload = z.infer<typeof AgentPayload>;

/** A later user message of the same transcript: the harness speaks, e.g. of refused tool calls. */
export const HarnessNotice = z.strictObject({ harness_notice: z.array(z.string()).min(1) });
export type HarnessNotice = z.infer<typeof HarnessNotice>;

/** Content of a `tool` message when the call came to nothing; else it is the projection itself. */
export const ToolErrorContent = z.strictObject({
  tool_call_id: z.string(),
  evidence_status: z.literal('ERROR'),
  error: z.strictObject({ code: z.string(), message: z.string() }),
});
export type ToolErrorContent = z.infer<typeof ToolErrorContent>;

/** Content of a `tool` message when the call repeats an earlier one word for word: that one stands, and may be cited. */
export const RepeatNotice = z.strictObject({
  tool_call_id: z.string(),
  evidence_status: z.string(),
  /** The tool call ID of the invocation that stands. */
  repeats: z.string(),
  note: z.string(),
  /** Its projection. */
  result: z.record(z.string(), z.unknown()),
});
export type RepeatNotice = z.infer<typeof RepeatNotice>;

export const RepairPayload = z.strictObject({
  draft: z.unknown(),
  violations: z.array(z.strictObject({ code: z.string(), path: z.string(), message: z.string() })),
  /** The Run's citable calls. */
  invocations: z.array(
    z.strictObject({ tool_call_id: z.string(), tool: z.string(), evidence_status: z.string() }),
  ),
});
export type RepairPayload = z.infer<typeof RepairPayload>;

/** The user-visible Draft: no tool call IDs (SG-1). */
export const VisibleDraft = z.strictObject({
  conclusion: DraftStatement,
  analyses: z.array(z.strictObject({ analysis_id: z.string(), kind: z.string(), text: z.string() })),
  action_plan: z.array(DraftAction),
  recommendations: z.array(DraftStatement),
  limitations: z.array(z.string()),
});
export type VisibleDraft = z.infer<typeof VisibleDraft>;

export const SnapshotItem = z.strictObject({
  source: z.string(),
  timestamp: z.string(),
  excerpt: z.string(),
});
export type SnapshotItem = z.infer<typeof SnapshotItem>;

export const SnapshotEvidence = z.strictObject({
  tool: z.string(),
  evidence_status: ReadyEvidenceStatus,
  scope: z.record(z.string(), z.unknown()),
  /** Counts and flags of the result: `matched`, `row_count`, `truncated`. */
  result: z.record(z.string(), z.union([z.number(), z.boolean()])),
  /** Records: one log entry, one document, one result row (with its column names), or one group with its count. */
  items: z.array(SnapshotItem),
});
export type SnapshotEvidence = z.infer<typeof SnapshotEvidence>;

/** EG-8: grouped by analysis, in the Draft's order; the same input gives the same bytes. */
export const EvidenceSnapshot = z.strictObject({
  analyses: z.array(
    z.strictObject({ analysis_id: z.string(), kind: z.string(), evidence: z.array(SnapshotEvidence) }),
  ),
});
export type EvidenceSnapshot = z.infer<typeof EvidenceSnapshot>;

export const SemanticPayload = z.strictObject({
  query: z.string(),
  draft: VisibleDraft,
  evidence: EvidenceSnapshot,
});
export type SemanticPayload = z.infer<typeof SemanticPayload>;
