/** The Router's step (KQ-1): two attempts; after both the intent is DIAGNOSIS, the strictest path, and the step says so. */
import type { Intent } from '../../shared/domain/contracts/verdict.js';
import { readRouterVerdict, ROUTER_MAX_BYTES, routerMessages } from '../../shared/domain/guards/router.js';
import type {
  EngineRun,
  Fence,
  RoundCommit,
  RunContext,
  WriteOutcome,
} from '../../shared/ports/run-store.js';
import { answerSchema } from '../../shared/domain/prompts/answer-schemas.js';
import { callModel, inputOf, withModel, type CallCost } from '../model-call.js';
import { advance, attemptsWithin, type EngineDeps } from './engine.js';

const ROUTER_ATTEMPTS = 2;

/** Commits the intent. @returns `stopped` when the activation must end. */
export async function routeIntent(
  deps: EngineDeps,
  run: EngineRun,
  context: RunContext,
  signal: AbortSignal,
): Promise<Intent | 'stopped'> {
  const fence: Fence = { runId: run.runId, epoch: run.epoch };
  const startedAt = deps.clock.now();
  const messages = routerMessages({
    query: run.query,
    conversation: context.conversation,
    last_intent: context.lastIntent,
    previous_turn: context.previousTurn,
  });
  const outcome = await callModel(
    deps,
    fence,
    {
      request: {
        stage: 'router',
        runId: run.runId,
        messages,
        tools: [],
        maxOutputBytes: ROUTER_MAX_BYTES,
        answerSchema: answerSchema('router'),
      },
      timeoutMs: deps.limits.modelTimeoutMs,
      runTimeLeft: () => deps.timeLeft(run),
      attempts: attemptsWithin(deps, run, ROUTER_ATTEMPTS),
      retryUnreadable: true,
      read: readRouterVerdict,
    },
    signal,
  );
  if (outcome.kind === 'stopped') return 'stopped';
  const intent = outcome.kind === 'value' ? outcome.value.intent : 'DIAGNOSIS';
  const written = await commit(deps, fence, run, intent, outcome, {
    outcome:
      outcome.kind === 'value'
        ? intent
        : `DIAGNOSIS_AFTER_${outcome.kind === 'failed' ? outcome.failure : 'TIME'}`,
    messages: inputOf(messages),
    startedAt,
  });
  return written === 'written' ? intent : 'stopped';
}

async function commit(
  deps: EngineDeps,
  fence: Fence,
  run: EngineRun,
  intent: Intent,
  cost: CallCost,
  step: { outcome: string; messages: { hash: string; bytes: number }; startedAt: Date },
): Promise<WriteOutcome> {
  const round: RoundCommit = {
    step: {
      stage: 'router',
      round: 1,
      state: 'COMMITTED',
      outcome: step.outcome,
      attempts: cost.attempts,
      model: cost.reply?.model ?? null,
      promptTokens: cost.reply?.usage?.promptTokens ?? null,
      completionTokens: cost.reply?.usage?.completionTokens ?? null,
      durationMs: Math.round(cost.durationMs),
      inputHash: step.messages.hash,
      inputBytes: step.messages.bytes,
      output: cost.reply?.content ?? null,
      refusals: [],
      startedAt: step.startedAt,
      finishedAt: deps.clock.now(),
    },
    invocations: [],
    tokens: cost.tokens,
    intent,
    ...withModel(run, cost.reply),
    frames: 1,
  };
  const written = await deps.store.commitRound(fence, round);
  if (written === 'written') advance(run, cost.attempts, round);
  return written;
}
