import { z } from 'zod';
import { UtcTimestamp } from '../ids.js';
import { Assumptions, ProjectionHead } from './common.js';

export const RAG_TOP_K = { min: 1, max: 10, default: 5 } as const;

/** `top_k` out of range is clamped and the scope says so. */
export const RagLookupArgs = z.strictObject({
  query: z.string().trim().min(1).max(1000).describe('What to look up in the runbooks, in plain words'),
  top_k: z.number().int().optional().describe('How many documents, 1–10; 5 if left out'),
});
export type RagLookupArgs = z.infer<typeof RagLookupArgs>;

export const RagLookupScope = z.strictObject({
  query: z.string(),
  top_k: z.number().int(),
  assumptions: Assumptions,
});
export type RagLookupScope = z.infer<typeof RagLookupScope>;

export const RagDocument = z.strictObject({
  document_id: z.string().min(1),
  title: z.string(),
  source: z.string(),
  excerpt: z.string().min(1),
  updated_at: UtcTimestamp,
});
export type RagDocument = z.infer<typeof RagDocument>;

export const RagLookupProjection = z
  .strictObject({
    tool: z.literal('rag_lookup'),
    ...ProjectionHead,
    scope: RagLookupScope,
    documents: z.array(RagDocument),
    /** True when documents above the relevance floor were left out for size. */
    truncated: z.boolean(),
  })
  .refine((p) => p.documents.length > 0 === (p.evidence_status === 'EVIDENCE_FOUND'), {
    error: 'evidence_status does not fit the documents',
  })
  .refine((p) => p.documents.length > 0 || !p.truncated, {
    error: 'no evidence can only come from a complete lookup',
  });
export type RagLookupProjection = z.infer<typeof RagLookupProjection>;
