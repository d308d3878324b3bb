/**
 * SSE frames. A frame is `{runId, seq, at}` and the data of its event; `seq` is 1, 2, 3, … in the Run, no gap.
 * Nothing that a model wrote is in any of them before `report` (SE-1).
 */
import { z } from 'zod';
import { TypedScope } from './coverage.js';
import { UtcTimestamp } from './ids.js';
import { EvidenceStatus, InvocationStatus } from './invocation.js';
import { PublicResult, ReleaseOutcome, RunError, RunStatus } from './run.js';
import { ToolName } from './tools/common.js';
import { Intent } from './verdict.js';

/** `unknown` stands for a tool that does not exist: its name was the model's words. */
export const ShownTool = z.union([ToolName, z.literal('unknown')]);
export type ShownTool = z.infer<typeof ShownTool>;

export const EVENT_DATA = {
  metadata: z.strictObject({ sessionId: z.string() }),
  status: z.strictObject({
    status: RunStatus,
    intent: Intent.optional(),
    queuePosition: z.number().int().nonnegative().optional(),
  }),
  step: z.strictObject({
    round: z.number().int().positive(),
    toolCalls: z.array(z.strictObject({ call: z.number().int().positive(), tool: ShownTool })),
  }),
  tool: z.strictObject({
    call: z.number().int().positive(),
    tool: ShownTool,
    status: InvocationStatus,
    evidenceStatus: EvidenceStatus.nullable(),
    scope: TypedScope,
    matched: z.number().int().nonnegative().optional(),
    durationMs: z.number().int().nonnegative().nullable(),
  }),
  review: z.strictObject({
    stage: z.enum(['evidence', 'repair', 'semantic']),
    outcome: z.enum(['passed', 'rejected', 'unavailable', 'skipped']),
  }),
  report: z.strictObject({ releaseOutcome: ReleaseOutcome, ...PublicResult.shape }),
  error: z.strictObject(RunError.shape),
  gap: z.strictObject({ from: z.number().int(), to: z.number().int() }),
  done: z.strictObject({ status: RunStatus, releaseOutcome: ReleaseOutcome.nullable() }),
} as const;

export type EventName = keyof typeof EVENT_DATA;
export type EventData<N extends EventName> = z.infer<(typeof EVENT_DATA)[N]>;

/** An event before it has its number. */
export type RunEvent = { [N in EventName]: { event: N; data: EventData<N> } }[EventName];

export const FrameHead = z.object({ runId: z.string(), seq: z.number().int().positive(), at: UtcTimestamp });
/** A numbered frame as it is stored and sent; `data` holds the head's fields too. */
export interface Frame {
  seq: number;
  event: EventName;
  /** One line of JSON. */
  data: string;
}
