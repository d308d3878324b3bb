/**
 * One model round of the agent: the transcript from committed rounds, one call (two attempts on timeout and transport),
 * one transaction with the step and its invocations.
 */
import type { ToolName } from '../../shared/domain/contracts/tools/common.js';
import { DRAFT_MAX_BYTES } from '../../shared/domain/guards/draft-reply.js';
import { agentMessages } from '../../shared/domain/prompts/agent-messages.js';
import { answerSchema } from '../../shared/domain/prompts/answer-schemas.js';
import type { ChatMessage } from '../../shared/domain/prompts/messages.js';
import { roundTooDear } from '../../shared/domain/run/budgets.js';
import { toolDefinitions } from '../../shared/domain/prompts/tool-definitions.js';
import type { ModelReply } from '../../shared/ports/model-client.js';
import type {
  EngineRun,
  InvocationRecord,
  RoundCommit,
  RunContext,
  StepRecord,
} from '../../shared/ports/run-store.js';
import { callModel, inputOf, withModel, type StageCall } from '../model-call.js';
import { advance, attemptsWithin, type EngineDeps } from './engine.js';
import { buildRound, type Agent } from './round-record.js';
import { committedRounds, type CommittedFacts } from './run-facts.js';

const ROUND_ATTEMPTS = 2;
/** The calls' arguments may take as much again as a Draft. */
const ROUND_MAX_BYTES = DRAFT_MAX_BYTES * 2;

/** Commits the round. `stopped`: the activation must end; `spent`: the Run's time or tokens do not carry the round. */
export async function agentRound(
  deps: EngineDeps,
  facts: CommittedFacts,
  context: RunContext,
  next: { round: number; agent: Agent },
  signal: AbortSignal,
): Promise<{ step: StepRecord; invocations: InvocationRecord[] } | 'stopped' | 'spent'> {
  const { run } = facts;
  const startedAt = deps.clock.now();
  const offered = offeredTools(deps, next.agent);
  const messages = agentMessages(
    next.agent,
    {
      query: run.query,
      window: run.window,
      conversation: context.conversation,
      previous_turn: context.previousTurn,
      material: context.material,
    },
    committedRounds(facts),
  );
  const input = inputOf(messages);
  if (roundTooDear(deps.budgets, run, input.bytes)) return 'spent';
  const call = stageCall(deps, run, next.agent, messages, offered);
  const outcome = await callModel(deps, { runId: run.runId, epoch: run.epoch }, call, signal);
  if (outcome.kind === 'stopped') return 'stopped';
  if (outcome.kind === 'out_of_time') return 'spent';
  const built = buildRound(facts, next, outcome, {
    offered: new Set(offered.map(({ name }) => name)),
    maxToolCalls: deps.budgets.maxToolCalls,
    at: deps.clock.now(),
  });
  const step: StepRecord = { ...built.step, inputHash: input.hash, inputBytes: input.bytes, startedAt };
  const commit: RoundCommit = {
    step,
    invocations: built.invocations,
    tokens: outcome.tokens,
    ...withModel(run, outcome.reply),
    frames: 1 + 2 * built.invocations.length,
  };
  const written = await deps.store.commitRound({ runId: run.runId, epoch: run.epoch }, commit);
  if (written === 'written') advance(run, outcome.attempts, commit);
  return written === 'written' ? { step, invocations: built.invocations } : 'stopped';
}

function offeredTools(deps: EngineDeps, agent: Agent): { name: ToolName; description: string }[] {
  const all = [...deps.tools.values()].map(({ name, description }) => ({ name, description }));
  return agent === 'DIAGNOSIS' ? all : all.filter(({ name }) => name === 'rag_lookup');
}

function stageCall(
  deps: EngineDeps,
  run: EngineRun,
  agent: Agent,
  messages: ChatMessage[],
  offered: { name: ToolName; description: string }[],
): StageCall<ModelReply> {
  const stage = agent === 'DIAGNOSIS' ? 'diagnosis' : 'knowledge';
  return {
    request: {
      stage,
      runId: run.runId,
      messages,
      tools: toolDefinitions(offered),
      maxOutputBytes: ROUND_MAX_BYTES,
      answerSchema: answerSchema(stage),
    },
    timeoutMs: deps.limits.modelTimeoutMs,
    runTimeLeft: () => deps.timeLeft(run),
    attempts: attemptsWithin(deps, run, ROUND_ATTEMPTS),
    retryUnreadable: false,
    read: (reply) => ({ ok: true, value: reply }),
  };
}
