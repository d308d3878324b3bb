/**
 * Replaces secrets and personal tokens by typed marks such as `[redacted:jwt]` (SE-2). Pure and idempotent: text
 * without secrets comes back byte for byte.
 */
export type Redact = (text: string) => string;
