/**
 * The Trace: the aggregate of one Run's row, its steps and its tool invocations (SR-2). What it shows depends on the
 * Run's end and the reader's role: see each field.
 */
import { z } from 'zod';
import { UtcTimestamp } from './ids.js';
import { EvidenceStatus, InvocationErrorCode, InvocationStatus } from './invocation.js';
import { RunView } from './run.js';

export const StepState = z.enum(['STARTED', 'COMMITTED', 'FAILED']);
export type StepState = z.infer<typeof StepState>;

export const TraceStep = z.strictObject({
  stage: z.enum(['router', 'diagnosis', 'knowledge', 'repair', 'semantic']),
  /** The round within its stage; for repair and semantic the attempt. */
  round: z.number().int().positive(),
  state: StepState,
  /** A code: `TOOL_CALLS`, `DRAFT`, `INVALID_DRAFT`, an intent, a verdict, `TIMEOUT`, `TRANSPORT` …; null while it runs. */
  outcome: z.string().nullable(),
  attempts: z.number().int().nonnegative(),
  model: z.string().nullable(),
  promptTokens: z.number().int().nullable(),
  completionTokens: z.number().int().nullable(),
  durationMs: z.number().int().nullable(),
  startedAt: UtcTimestamp,
  finishedAt: UtcTimestamp.nullable(),
  /** SHA-256 of the messages sent, hex. */
  inputHash: z.string().nullable(),
  toolCalls: z.array(z.strictObject({ call: z.number().int(), tool: z.string() })),
  /** After the Run's end, role `admin`: the model's own words (Draft, repair, semantic reason). */
  output: z.string().nullable().optional(),
});
export type TraceStep = z.infer<typeof TraceStep>;

export const TraceInvocation = z.strictObject({
  call: z.number().int().positive(),
  round: z.number().int().positive(),
  tool: z.string(),
  status: InvocationStatus,
  evidenceStatus: EvidenceStatus.nullable(),
  errorCode: InvocationErrorCode.nullable(),
  /** The earlier call that this one repeats word for word; it was not run again. */
  repeatsCall: z.number().int().positive().nullable().optional(),
  /** Typed fields while the Run is going; the whole scope after its end. */
  scope: z.record(z.string(), z.unknown()).nullable(),
  startedAt: UtcTimestamp.nullable(),
  finishedAt: UtcTimestamp.nullable(),
  durationMs: z.number().int().nullable(),
  /** The model's own ID of the call, and the projection: after the Run's end. */
  toolCallId: z.string().nullable().optional(),
  projection: z.unknown().optional(),
});
export type TraceInvocation = z.infer<typeof TraceInvocation>;

export const Trace = z.strictObject({
  run: RunView,
  steps: z.array(TraceStep),
  toolInvocations: z.array(TraceInvocation),
  resolvedBy: z.enum(['latest', 'runId']),
});
export type Trace = z.infer<typeof Trace>;
