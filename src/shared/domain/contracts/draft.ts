/**
 * The Diagnosis Agent's last message. This schema settles keys and types alone (a breach is an invalid Draft,
 * RP-9). Blank texts, unknown kinds and broken references are EvidenceGuard's affair (EG-1, EG-2), so `kind`,
 * texts and IDs are plain strings here.
 */
import { z } from 'zod';

export const ANALYSIS_KINDS = ['NORMAL', 'NEGATIVE_OBSERVATION'] as const;
export type AnalysisKind = (typeof ANALYSIS_KINDS)[number];

export const DraftAnalysis = z.strictObject({
  analysis_id: z.string(),
  kind: z.string(),
  text: z.string(),
  tool_call_ids: z.array(z.string()),
});
export type DraftAnalysis = z.infer<typeof DraftAnalysis>;

export const DraftAction = z.strictObject({
  text: z.string(),
  analysis_ids: z.array(z.string()),
  requires_human_confirmation: z.boolean(),
});
export type DraftAction = z.infer<typeof DraftAction>;

export const DraftStatement = z.strictObject({ text: z.string(), analysis_ids: z.array(z.string()) });
export type DraftStatement = z.infer<typeof DraftStatement>;

export const Draft = z.strictObject({
  conclusion: DraftStatement.nullable(),
  analyses: z.array(DraftAnalysis),
  action_plan: z.array(DraftAction),
  recommendations: z.array(DraftStatement),
  limitations: z.array(z.string()),
  missing_context: z.array(z.string()),
});
export type Draft = z.infer<typeof Draft>;

/** KNOWLEDGE_QUERY's own draft (KQ-1, KQ-2). */
export const KnowledgeDraft = z.strictObject({
  answer_items: z.array(
    z.strictObject({ text: z.string(), tool_call_id: z.string(), document_ids: z.array(z.string()) }),
  ),
  limitations: z.array(z.string()),
});
export type KnowledgeDraft = z.infer<typeof KnowledgeDraft>;
