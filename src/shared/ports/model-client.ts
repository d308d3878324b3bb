/**
 * One chat completion against the model endpoint.
 *
 * Contract: exactly one HTTP attempt per call (RT-1); never throws, and never resolves later than `timeoutMs` plus a
 * scheduling delay; an aborted `signal` ends the request on the wire and yields `cancelled`. An answer without a
 * `finish_reason`, and an error body under status 200, are `transport` failures.
 */
import type { ChatMessage, ModelToolCall, ToolDefinition } from '../domain/prompts/messages.js';

export const STAGES = ['router', 'diagnosis', 'knowledge', 'repair', 'semantic'] as const;
export type Stage = (typeof STAGES)[number];

export type { ChatMessage, ModelToolCall, ToolDefinition };

export interface ModelRequest {
  stage: Stage;
  runId: string;
  /** 1, 2: the attempt within the retry inventory (RT-2). */
  attempt: number;
  messages: readonly ChatMessage[];
  tools: readonly ToolDefinition[];
  timeoutMs: number;
  /** The answer's JSON schema; sent only to endpoints configured with `MODEL_JSON=schema`. */
  answerSchema?: { name: string; schema: Record<string, unknown> };
  /** An answer longer than this many UTF-8 bytes is a transport failure. */
  maxOutputBytes: number;
}

export interface ModelUsage {
  promptTokens: number;
  completionTokens: number;
}

export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter';

export interface ModelReply {
  /** The model's name as the endpoint gave it. */
  model: string;
  /** Text parts joined; empty when there were none. Reasoning fields are not part of it. */
  content: string;
  toolCalls: readonly ModelToolCall[];
  finishReason: FinishReason;
  /** The model refused to answer (the `refusal` field). */
  refused: boolean;
  /** Null when the endpoint did not say. */
  usage: ModelUsage | null;
}

export interface ModelFailure {
  /** `rejected`: a 4xx that no retry mends (401, 404, 400 …). */
  kind: 'timeout' | 'transport' | 'rejected' | 'cancelled';
  /** For the operator's log: names the endpoint and the status, never a body that may hold a secret. */
  detail: string;
  /** From `Retry-After`. */
  retryAfterMs?: number;
}

export type ModelOutcome =
  | { ok: true; reply: ModelReply; durationMs: number }
  | { ok: false; failure: ModelFailure; durationMs: number };

export interface ModelClient {
  complete(request: ModelRequest, signal: AbortSignal): Promise<ModelOutcome>;
}
