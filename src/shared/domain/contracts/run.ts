/** The Run as the outside sees it. */
import { z } from 'zod';
import { CoverageItem } from './coverage.js';
import { UtcTimestamp } from './ids.js';
import { Fallback, KnowledgeAnswer, Report } from './report.js';
import { Intent } from './verdict.js';
import { Window } from './window.js';

export const RunStatus = z.enum(['QUEUED', 'RUNNING', 'REVIEWING', 'COMPLETED', 'FAILED', 'CANCELLED']);
export type RunStatus = z.infer<typeof RunStatus>;

export const ReleaseOutcome = z.enum(['SUCCESS', 'FALLBACK', 'FAILED', 'CANCELLED']);
export type ReleaseOutcome = z.infer<typeof ReleaseOutcome>;

export const RunErrorCode = z.enum(['MODEL_UNAVAILABLE', 'STATE_LOST', 'INTERNAL']);
export type RunErrorCode = z.infer<typeof RunErrorCode>;

export const RunError = z.strictObject({ code: RunErrorCode, message: z.string() });
export type RunError = z.infer<typeof RunError>;

export const Visibility = z.enum(['private', 'shared']);
export type Visibility = z.infer<typeof Visibility>;

/** One of them at most; `{}` while the Run goes, and for FAILED and CANCELLED beside `error`. */
export const PublicResult = z.strictObject({
  report: Report.optional(),
  knowledge: KnowledgeAnswer.optional(),
  fallback: Fallback.optional(),
});
export type PublicResult = z.infer<typeof PublicResult>;

export const RunSummary = z.strictObject({
  runId: z.string(),
  sessionId: z.string(),
  intent: Intent.nullable(),
  status: RunStatus,
  releaseOutcome: ReleaseOutcome.nullable(),
  query: z.string(),
  window: Window,
  createdAt: UtcTimestamp,
  startedAt: UtcTimestamp.nullable(),
  finishedAt: UtcTimestamp.nullable(),
  cancelRequestedAt: UtcTimestamp.nullable(),
  /** The models that answered for this Run, e.g. `sworn-offline-analyst`; empty before the first call. */
  models: z.array(z.string()),
  error: RunError.optional(),
});
export type RunSummary = z.infer<typeof RunSummary>;

export const RunView = z.strictObject({
  ...RunSummary.shape,
  ...PublicResult.shape,
  coverage: z.array(CoverageItem),
});
export type RunView = z.infer<typeof RunView>;
