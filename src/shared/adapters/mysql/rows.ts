/** Rows as the driver gives them, and the port's records made from them. */
import type { z } from 'zod';
import { EvidenceStatus, InvocationErrorCode, InvocationStatus } from '../../domain/contracts/invocation.js';
import { ReleaseOutcome, RunStatus } from '../../domain/contracts/run.js';
import { StepState } from '../../domain/contracts/trace.js';
import { Intent } from '../../domain/contracts/verdict.js';
import { STAGES, type Stage } from '../../ports/model-client.js';
import type {
  EngineRun,
  InvocationRecord,
  Refusal,
  RunContext,
  StepRecord,
  StopReason,
} from '../../ports/run-store.js';

export interface RunRow {
  run_id: string;
  session_id: string;
  query: string;
  window_from: Date;
  window_to: Date;
  on_disconnect: string;
  intent: string | null;
  status: string;
  release_outcome: string | null;
  epoch: number;
  attempt: number;
  rounds: number;
  frame_seq: number;
  frame_count: number | null;
  model_calls: number;
  tool_calls: number;
  tokens: string | number;
  stop_reason: string | null;
  models: string | null;
  context: string | null;
  public_result: string | null;
  published_result: string | null;
  coverage: string | null;
  error_code: string | null;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  cancel_requested_at: Date | null;
}

export interface StepRow {
  stage: string;
  round: number;
  state: string;
  outcome: string | null;
  attempts: number;
  model: string | null;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  duration_ms: number | null;
  input_hash: string | null;
  input_bytes: number | null;
  output: string | null;
  refusals: string | null;
  started_at: Date;
  finished_at: Date | null;
}

export interface InvocationRow {
  call_no: number;
  round: number;
  tool_call_id: string | null;
  tool: string;
  arguments: string | null;
  repeats_call: number | null;
  claim: number;
  status: string;
  evidence_status: string | null;
  error_code: string | null;
  error_message: string | null;
  scope: string | null;
  agent_result: string | null;
  content_hash: string | null;
  result_bytes: number | null;
  matched: number | null;
  started_at: Date | null;
  finished_at: Date | null;
}

/** A column that the product itself writes; another value there is a fault of the database. */
function column<T extends z.ZodType>(schema: T, value: unknown): z.infer<T> {
  return schema.parse(value);
}

/** Text of a JSON column; JSON types come as text on MariaDB and as objects elsewhere, so columns are plain text. */
export function jsonColumn(text: string): unknown {
  return JSON.parse(text) as unknown;
}

function stageOf(text: string): Stage {
  const stage = STAGES.find((name) => name === text);
  if (stage === undefined) throw new TypeError('agent_step.stage holds an unknown stage');
  return stage;
}

export function windowOf(row: Pick<RunRow, 'window_from' | 'window_to'>): { from: string; to: string } {
  return { from: row.window_from.toISOString(), to: row.window_to.toISOString() };
}

export function modelsOf(row: Pick<RunRow, 'models'>): string[] {
  return row.models === null ? [] : (jsonColumn(row.models) as string[]);
}

export function toEngineRun(row: RunRow): EngineRun {
  return {
    runId: row.run_id,
    sessionId: row.session_id,
    query: row.query,
    window: windowOf(row),
    intent: column(Intent.nullable(), row.intent),
    status: column(RunStatus, row.status),
    releaseOutcome: column(ReleaseOutcome.nullable(), row.release_outcome),
    epoch: row.epoch,
    attempt: row.attempt,
    rounds: row.rounds,
    modelCalls: row.model_calls,
    toolCalls: row.tool_calls,
    tokens: Number(row.tokens),
    stopReason: row.stop_reason as StopReason | null,
    models: modelsOf(row),
    context: row.context === null ? null : (jsonColumn(row.context) as RunContext),
    createdAt: row.created_at,
    startedAt: row.started_at,
    cancelRequestedAt: row.cancel_requested_at,
    frameSeq: row.frame_seq,
    frameCount: row.frame_count,
  };
}

export function toStep(row: StepRow): StepRecord {
  return {
    stage: stageOf(row.stage),
    round: row.round,
    state: column(StepState, row.state),
    outcome: row.outcome,
    attempts: row.attempts,
    model: row.model,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    durationMs: row.duration_ms,
    inputHash: row.input_hash,
    inputBytes: row.input_bytes,
    output: row.output,
    refusals: row.refusals === null ? [] : (jsonColumn(row.refusals) as Refusal[]),
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}

export function toInvocation(row: InvocationRow): InvocationRecord {
  return {
    call: row.call_no,
    round: row.round,
    toolCallId: row.tool_call_id,
    tool: row.tool,
    arguments: row.arguments ?? '',
    repeatsCall: row.repeats_call,
    claim: row.claim,
    status: column(InvocationStatus, row.status),
    evidenceStatus: column(EvidenceStatus.nullable(), row.evidence_status),
    errorCode: column(InvocationErrorCode.nullable(), row.error_code),
    errorMessage: row.error_message,
    scope: row.scope,
    agentResult: row.agent_result,
    contentHash: row.content_hash,
    resultBytes: row.result_bytes,
    matched: row.matched,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}
