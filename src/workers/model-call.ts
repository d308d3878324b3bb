/**
 * One model call of a stage with its retries (the one inventory, RT-1, RT-2): every HTTP attempt is counted before it is
 * made, and the count is the last check of fence and cancellation before the call (CA-1, BU-1).
 */
import { createHash } from 'node:crypto';
import { tokensIn } from '../shared/domain/run/budgets.js';
import type { Logger } from '../shared/ports/logger.js';
import type { ModelClient, ModelFailure, ModelReply, ModelRequest } from '../shared/ports/model-client.js';
import type { Fence, RunStore } from '../shared/ports/run-store.js';
import { pause } from '../shared/runtime/pause.js';

const TRANSPORT_PAUSE_MS = 200;
const MAX_MODEL_NAME = 128;

export interface ModelCallDeps {
  store: Pick<RunStore, 'reserveModelCall'>;
  model: ModelClient;
  log: Logger;
}

/** What a reply came to in its stage: a value, or a technical failure that the inventory may retry. */
export type Read<T> = { ok: true; value: T } | { ok: false; failure: string };

export interface StageCall<T> {
  request: Omit<ModelRequest, 'attempt' | 'timeoutMs'>;
  /** Of one attempt, in ms; less when the Run's own time ends before. */
  timeoutMs: number;
  /** What is left of the Run's time, in ms; asked before each attempt. */
  runTimeLeft: () => number;
  attempts: number;
  read: (reply: ModelReply) => Read<T>;
  /** Parse and schema failures are retried by Router and SemanticGuard alone. */
  retryUnreadable: boolean;
}

export interface CallCost {
  attempts: number;
  tokens: number;
  durationMs: number;
  reply: ModelReply | null;
}

export type CallOutcome<T> =
  | ({ kind: 'value'; value: T } & CallCost)
  | ({ kind: 'failed'; failure: string } & CallCost)
  /** The Run's own time is over: a budget, not a failure (BU-1). */
  | ({ kind: 'out_of_time' } & CallCost)
  /** The caller must stop: the fence or a cancel request, or its own signal. */
  | { kind: 'stopped' };

export async function callModel<T>(
  deps: ModelCallDeps,
  fence: Fence,
  call: StageCall<T>,
  signal: AbortSignal,
): Promise<CallOutcome<T>> {
  const cost: CallCost = { attempts: 0, tokens: 0, durationMs: 0, reply: null };
  for (let attempt = 1; ; attempt += 1) {
    const left = call.runTimeLeft();
    if (left <= 0) return { kind: 'out_of_time', ...cost };
    if (isAborted(signal) || (await deps.store.reserveModelCall(fence)) !== 'written')
      return { kind: 'stopped' };
    const timeoutMs = Math.min(call.timeoutMs, left);
    const outcome = await deps.model.complete({ ...call.request, attempt, timeoutMs }, signal);
    cost.attempts = attempt;
    cost.durationMs += outcome.durationMs;
    if (isAborted(signal)) return { kind: 'stopped' };
    if (outcome.ok) {
      cost.reply = outcome.reply;
      cost.tokens += tokensOf(call.request, outcome.reply);
      const read = call.read(outcome.reply);
      if (read.ok) return { kind: 'value', value: read.value, ...cost };
      if (!call.retryUnreadable || attempt >= call.attempts)
        return { kind: 'failed', failure: read.failure, ...cost };
      continue;
    }
    logFailure(deps, fence, call.request.stage, attempt, outcome.failure);
    cost.tokens += tokensIn(inputBytes(call.request.messages));
    if (call.runTimeLeft() <= 0) return { kind: 'out_of_time', ...cost };
    const failure = failureCode(outcome.failure);
    const wait = retryDelay(outcome.failure, timeoutMs - outcome.durationMs);
    if (attempt >= call.attempts || wait === null) return { kind: 'failed', failure, ...cost };
    await pause(wait, signal);
  }
}

/** Read anew each time: a signal changes while one waits. */
export function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

export function failureCode(failure: ModelFailure): string {
  switch (failure.kind) {
    case 'timeout':
      return 'TIMEOUT';
    case 'transport':
      return 'TRANSPORT';
    case 'rejected':
      return 'REJECTED';
    case 'cancelled':
      return 'CANCELLED';
  }
}

/**
 * How long to wait before the next attempt; null when there must be none: a 4xx that no retry mends, or a `Retry-After`
 * that does not fit into what is left of the attempt's time.
 */
export function retryDelay(failure: ModelFailure, leftMs: number): number | null {
  switch (failure.kind) {
    case 'rejected':
    case 'cancelled':
      return null;
    case 'timeout':
      return 0;
    case 'transport':
      if (failure.retryAfterMs === undefined) return Math.max(0, Math.min(TRANSPORT_PAUSE_MS, leftMs));
      return failure.retryAfterMs <= leftMs ? failure.retryAfterMs : null;
  }
}

function logFailure(
  deps: Pick<ModelCallDeps, 'log'>,
  fence: Fence,
  stage: ModelRequest['stage'],
  attempt: number,
  failure: ModelFailure,
): void {
  const { kind, detail } = failure;
  deps.log.warn({ ...fence, stage, attempt, failure: kind, detail }, 'model call failed');
}

/** Unknown usage counts as bytes/4 (contract §4). */
export function tokensOf(request: Pick<ModelRequest, 'messages'>, reply: ModelReply): number {
  if (reply.usage !== null) return reply.usage.promptTokens + reply.usage.completionTokens;
  const answer = Buffer.byteLength(reply.content) + Buffer.byteLength(JSON.stringify(reply.toolCalls));
  return tokensIn(inputBytes(request.messages) + answer);
}

/** UTF-8 bytes of the messages: their texts and tool calls, not the JSON that carries them. */
export function inputBytes(messages: ModelRequest['messages']): number {
  return messages.reduce((sum, message) => {
    const calls = message.role === 'assistant' ? message.toolCalls : [];
    const inCalls = calls.reduce((bytes, call) => bytes + Buffer.byteLength(call.name + call.arguments), 0);
    return sum + Buffer.byteLength(message.content) + inCalls;
  }, 0);
}

/** SHA-256 of the messages sent, hex; the audit's proof that two attempts had the same input (SG-4). */
export function inputOf(messages: ModelRequest['messages']): { hash: string; bytes: number } {
  const hash = createHash('sha256').update(JSON.stringify(messages)).digest('hex');
  return { hash, bytes: inputBytes(messages) };
}

/** The models that have answered for a Run with the one that did now, when it is new. */
export function withModel(
  run: { models: string[] },
  reply: ModelReply | null,
): { models?: readonly string[] } {
  const name = reply?.model.slice(0, MAX_MODEL_NAME) ?? '';
  if (name === '' || run.models.includes(name)) return {};
  run.models.push(name);
  return { models: run.models };
}
