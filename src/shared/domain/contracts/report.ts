/** What a finished Run publishes: a report, a knowledge answer or a fallback; one of them, never two. */
import { z } from 'zod';
import { TypedScope } from './coverage.js';
import { UtcTimestamp } from './ids.js';
import { ANALYSIS_KINDS, DraftAction, DraftStatement } from './draft.js';

const Scope = z.record(z.string(), z.unknown());

/** One record of verified evidence: an entry, a document, or a result's bounded values. */
export const EvidenceItem = z.strictObject({
  tool: z.string(),
  source: z.string(),
  scope: Scope,
  timestamp: UtcTimestamp,
  excerpt: z.string(),
});
export type EvidenceItem = z.infer<typeof EvidenceItem>;

export const ReportAnalysis = z.strictObject({
  analysis_id: z.string(),
  kind: z.enum(ANALYSIS_KINDS),
  text: z.string(),
  evidence: z.array(EvidenceItem),
});

/** RP-1: the verified Draft as it was, each analysis with its evidence in the place of its tool call IDs. */
export const Report = z.strictObject({
  conclusion: DraftStatement,
  analyses: z.array(ReportAnalysis),
  action_plan: z.array(DraftAction),
  recommendations: z.array(DraftStatement),
  limitations: z.array(z.string()),
});
export type Report = z.infer<typeof Report>;

export const KnowledgeReference = z.strictObject({
  document_id: z.string(),
  title: z.string(),
  source: z.string(),
});
export type KnowledgeReference = z.infer<typeof KnowledgeReference>;

/** KQ-3. `answer`: items apart by blank lines, each ending in its `[n]` into `references` (1-based). */
export const KnowledgeAnswer = z.strictObject({
  answer: z.string(),
  references: z.array(KnowledgeReference),
  limitations: z.array(z.string()),
});
export type KnowledgeAnswer = z.infer<typeof KnowledgeAnswer>;

export const FallbackType = z.enum([
  'EVIDENCE_VALIDATION_FAILED',
  'SEMANTIC_UNSUPPORTED',
  'SEMANTIC_UNAVAILABLE',
  'MISSING_REQUIRED_CONTEXT',
  'INSUFFICIENT_EVIDENCE',
  'OUT_OF_SCOPE',
]);
export type FallbackType = z.infer<typeof FallbackType>;

export const VerifiedSource = z.strictObject({
  tool: z.string(),
  source: z.string(),
  scope: TypedScope,
  timestamp: UtcTimestamp,
});
export type VerifiedSource = z.infer<typeof VerifiedSource>;

/** RP-2, RP-3. */
export const Fallback = z.strictObject({
  type: FallbackType,
  message: z.string(),
  verified_sources: z.array(VerifiedSource),
  observed_facts: z.array(z.string()),
  missing_context: z.array(z.string()),
});
export type Fallback = z.infer<typeof Fallback>;

/** SR-10: exactly these five. */
export const PublishedResult = z.strictObject({
  user_query: z.string(),
  published_conclusion: z.string(),
  scope: z.array(Scope),
  limitations: z.array(z.string()),
  source_documents: z.array(KnowledgeReference),
});
export type PublishedResult = z.infer<typeof PublishedResult>;
