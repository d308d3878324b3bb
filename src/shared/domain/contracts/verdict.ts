/** What Router and SemanticGuard may answer. Anything else is a technical failure. */
import { z } from 'zod';
import { isBlank } from '../guards/blank.js';

export const INTENTS = ['DIAGNOSIS', 'KNOWLEDGE_QUERY', 'OUT_OF_SCOPE'] as const;
export const Intent = z.enum(INTENTS);
export type Intent = z.infer<typeof Intent>;

export const RouterVerdict = z.strictObject({ intent: Intent, reason: z.string() });
export type RouterVerdict = z.infer<typeof RouterVerdict>;

/** SG-2: a verdict and a non-blank audit reason; no corrected report. */
export const SemanticVerdict = z.strictObject({
  verdict: z.enum(['SUPPORTED', 'UNSUPPORTED']),
  reason: z.string().refine((reason) => !isBlank(reason), { error: 'reason is blank' }),
});
export type SemanticVerdict = z.infer<typeof SemanticVerdict>;
