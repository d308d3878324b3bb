/**
 * One guard attempt: persisted before the call, so that one lost in a crash is used up; ended whatever comes of it.
 */
import type { Budgets } from '../../shared/domain/run/budgets.js';
import { guardSpent, tokensIn } from '../../shared/domain/run/budgets.js';
import { answerSchema } from '../../shared/domain/prompts/answer-schemas.js';
import type { ChatMessage } from '../../shared/domain/prompts/messages.js';
import type { Clock } from '../../shared/ports/clock.js';
import type { Logger } from '../../shared/ports/logger.js';
import type { ModelClient, ModelFailure, ModelOutcome } from '../../shared/ports/model-client.js';
import type { EngineRun, RunStore, StepRecord } from '../../shared/ports/run-store.js';
import { inputOf, tokensOf, withModel } from '../model-call.js';

export interface GuardDeps {
  store: RunStore;
  model: ModelClient;
  clock: Clock;
  log: Logger;
  budgets: Budgets;
  limits: {
    modelTimeoutMs: number;
    semanticAttemptMs: number;
    semanticTotalMs: number;
    semanticInputBytes: number;
    semanticOutputBytes: number;
  };
}

export interface GuardAttempt {
  stage: 'repair' | 'semantic';
  attempt: number;
  messages: readonly ChatMessage[];
  timeoutMs: number;
  maxOutputBytes: number;
  /** How the outcome is written down. */
  describe: (outcome: ModelOutcome) => { state: 'COMMITTED' | 'FAILED'; outcome: string };
}

export type GuardCall =
  | { kind: 'answered'; outcome: ModelOutcome }
  /** A budget of the Run is spent; no call was made. */
  | { kind: 'spent' }
  /** This attempt was begun before. */
  | { kind: 'used_up' }
  | { kind: 'stopped' };

/** @param run its counters move with the call. */
export async function callGuard(
  deps: GuardDeps,
  run: EngineRun,
  call: GuardAttempt,
  signal: AbortSignal,
): Promise<GuardCall> {
  const fence = { runId: run.runId, epoch: run.epoch };
  const input = inputOf(call.messages);
  if (budgetSpent(deps, run, input.bytes)) return { kind: 'spent' };
  const startedAt = deps.clock.now();
  const step = startedStep(call, input, startedAt);
  const begun = await deps.store.beginGuardStep(fence, step);
  if (begun === 'exists') return { kind: 'used_up' };
  if (begun !== 'written') return { kind: 'stopped' };
  run.modelCalls += 1;
  const outcome = await deps.model.complete(
    {
      stage: call.stage,
      runId: run.runId,
      attempt: call.attempt,
      messages: call.messages,
      tools: [],
      timeoutMs: Math.max(1, Math.min(call.timeoutMs, timeLeft(deps, run))),
      maxOutputBytes: call.maxOutputBytes,
      answerSchema: answerSchema(call.stage),
    },
    signal,
  );
  const tokens = outcome.ok ? tokensOf(call, outcome.reply) : tokensIn(input.bytes);
  run.tokens += tokens;
  const { models } = withModel(run, outcome.ok ? outcome.reply : null);
  const ended = await deps.store.endGuardStep(
    fence,
    endedStep(step, call, outcome, deps.clock.now()),
    tokens,
    models,
  );
  if (!outcome.ok) logFailure(deps, run, call, outcome.failure);
  if (signal.aborted || ended !== 'written') return { kind: 'stopped' };
  return { kind: 'answered', outcome };
}

function logFailure(deps: GuardDeps, run: EngineRun, call: GuardAttempt, failure: ModelFailure): void {
  const { stage, attempt } = call;
  deps.log.warn(
    { runId: run.runId, stage, attempt, failure: failure.kind, detail: failure.detail },
    'guard call failed',
  );
}

function budgetSpent(deps: GuardDeps, run: EngineRun, inputBytes: number): boolean {
  const elapsedMs = deps.budgets.timeoutMs - timeLeft(deps, run);
  const usage = {
    modelCalls: run.modelCalls,
    toolCalls: run.toolCalls,
    tokens: run.tokens,
    evidenceBytes: 0,
    elapsedMs,
  };
  return guardSpent(deps.budgets, usage, inputBytes) !== null;
}

function timeLeft(deps: GuardDeps, run: EngineRun): number {
  return (run.startedAt ?? run.createdAt).getTime() + deps.budgets.timeoutMs - deps.clock.now().getTime();
}

function startedStep(
  call: GuardAttempt,
  input: { hash: string; bytes: number },
  startedAt: Date,
): StepRecord {
  return {
    stage: call.stage,
    round: call.attempt,
    state: 'STARTED',
    outcome: null,
    attempts: 1,
    model: null,
    promptTokens: null,
    completionTokens: null,
    durationMs: null,
    inputHash: input.hash,
    inputBytes: input.bytes,
    output: null,
    refusals: [],
    startedAt,
    finishedAt: null,
  };
}

function endedStep(
  step: StepRecord,
  call: GuardAttempt,
  outcome: ModelOutcome,
  finishedAt: Date,
): StepRecord {
  const reply = outcome.ok ? outcome.reply : null;
  return {
    ...step,
    ...call.describe(outcome),
    model: reply?.model ?? null,
    promptTokens: reply?.usage?.promptTokens ?? null,
    completionTokens: reply?.usage?.completionTokens ?? null,
    durationMs: Math.round(outcome.durationMs),
    output: reply?.content ?? null,
    finishedAt,
  };
}
