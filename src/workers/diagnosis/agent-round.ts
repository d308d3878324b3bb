/**
 * One model round of the agent: the transcript from committed rounds, one call (two attempts on timeout and transport),
 * one transaction with the step and its invocations.
 */
import { Draft, KnowledgeDraft } from '../../shared/domain/contracts/draft.js';
import type { ToolName } from '../../shared/domain/contracts/tools/common.js';
import { readDraft, DRAFT_MAX_BYTES } from '../../shared/domain/guards/draft-reply.js';
import { judgeToolCalls, type JudgedCall } from '../../shared/domain/guards/tool-call-identity.js';
import { agentMessages } from '../../shared/domain/prompts/agent-messages.js';
import { toolDefinitions } from '../../shared/domain/prompts/tool-definitions.js';
import { findRepeat } from '../../shared/domain/run/saturation.js';
import type { ModelReply } from '../../shared/ports/model-client.js';
import type {
  EngineRun,
  InvocationRecord,
  Refusal,
  RunContext,
  StepRecord,
} from '../../shared/ports/run-store.js';
import { callModel, inputOf, type CallOutcome } from '../model-call.js';
import { withModel, type EngineDeps } from './engine.js';
import { committedRounds, type CommittedFacts } from './run-facts.js';

const ROUND_ATTEMPTS = 2;
/** The calls' arguments may take as much again as a Draft. */
const ROUND_MAX_BYTES = DRAFT_MAX_BYTES * 2;

type Agent = 'DIAGNOSIS' | 'KNOWLEDGE_QUERY';

/** Commits the round. `stopped`: the activation must end. */
export async function agentRound(
  deps: EngineDeps,
  facts: CommittedFacts,
  context: RunContext,
  next: { round: number; agent: Agent },
  signal: AbortSignal,
): Promise<{ step: StepRecord; invocations: InvocationRecord[] } | 'stopped'> {
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
  const outcome = await callModel(
    deps,
    { runId: run.runId, epoch: run.epoch },
    {
      request: {
        stage: next.agent === 'DIAGNOSIS' ? 'diagnosis' : 'knowledge',
        runId: run.runId,
        messages,
        tools: toolDefinitions(offered),
        timeoutMs: deps.timeLeft(run, deps.limits.modelTimeoutMs),
        maxOutputBytes: ROUND_MAX_BYTES,
      },
      attempts: ROUND_ATTEMPTS,
      retryUnreadable: false,
      read: (reply) => ({ ok: true, value: reply }),
    },
    signal,
  );
  if (outcome.kind === 'stopped') return 'stopped';
  const built = buildRound(deps, facts, next, outcome, new Set(offered.map(({ name }) => name)));
  const input = inputOf(messages);
  const step: StepRecord = { ...built.step, inputHash: input.hash, inputBytes: input.bytes, startedAt };
  const written = await deps.store.commitRound(
    { runId: run.runId, epoch: run.epoch },
    {
      step,
      invocations: built.invocations,
      tokens: outcome.tokens,
      ...withModel(run, outcome.reply),
      frames: 1 + 2 * built.invocations.length,
    },
  );
  return written === 'written' ? { step, invocations: built.invocations } : 'stopped';
}

function offeredTools(deps: EngineDeps, agent: Agent): { name: ToolName; description: string }[] {
  const all = [...deps.tools.values()].map(({ name, description }) => ({ name, description }));
  return agent === 'DIAGNOSIS' ? all : all.filter(({ name }) => name === 'rag_lookup');
}

function buildRound(
  deps: EngineDeps,
  facts: CommittedFacts,
  next: { round: number; agent: Agent },
  outcome: Exclude<CallOutcome<ModelReply>, { kind: 'stopped' }>,
  offered: ReadonlySet<ToolName>,
): { step: StepRecord; invocations: InvocationRecord[] } {
  const finishedAt = deps.clock.now();
  const base: StepRecord = {
    stage: next.agent === 'DIAGNOSIS' ? 'diagnosis' : 'knowledge',
    round: next.round,
    state: 'COMMITTED',
    outcome: null,
    attempts: outcome.attempts,
    model: outcome.reply?.model ?? null,
    promptTokens: outcome.reply?.usage?.promptTokens ?? null,
    completionTokens: outcome.reply?.usage?.completionTokens ?? null,
    durationMs: Math.round(outcome.durationMs),
    inputHash: null,
    inputBytes: null,
    output: outcome.reply?.content ?? null,
    refusals: [],
    startedAt: finishedAt,
    finishedAt,
  };
  if (outcome.kind === 'failed')
    return { step: { ...base, state: 'FAILED', outcome: outcome.failure }, invocations: [] };
  const reply = outcome.value;
  if (
    reply.toolCalls.length === 0 ||
    reply.finishReason === 'length' ||
    reply.finishReason === 'content_filter'
  ) {
    const schema = next.agent === 'DIAGNOSIS' ? Draft : KnowledgeDraft;
    const read = readDraft<unknown>({ ...reply, toolCalls: [] }, schema);
    return { step: { ...base, outcome: read.ok ? 'DRAFT' : 'INVALID_DRAFT' }, invocations: [] };
  }
  const judged = limitKnowledge(
    next.agent,
    facts.run,
    judgeToolCalls(reply.toolCalls, {
      usedIds: new Set(
        facts.invocations.flatMap(({ toolCallId }) => (toolCallId === null ? [] : [toolCallId])),
      ),
      offered,
      callsLeft: deps.budgets.maxToolCalls - facts.run.toolCalls,
    }),
  );
  const invocations = judged.map((call, index) =>
    toInvocation(call, facts.run.toolCalls + index + 1, next.round, facts.invocations, finishedAt),
  );
  return { step: { ...base, outcome: 'TOOL_CALLS', refusals: refusalsOf(invocations) }, invocations };
}

/** KQ-2: one lookup is run; a further call is refused like a bad ID. */
function limitKnowledge(agent: Agent, run: EngineRun, judged: JudgedCall[]): JudgedCall[] {
  if (agent === 'DIAGNOSIS') return judged;
  let lookedUp = run.toolCalls > 0;
  return judged.map((call) => {
    if (call.kind === 'refused') return call;
    if (!lookedUp && call.kind === 'accepted') {
      lookedUp = true;
      return call;
    }
    if (!lookedUp) return call;
    return {
      kind: 'refused',
      tool: call.tool,
      code: 'DUPLICATE_TOOL_CALL_ID',
      message:
        'A call was not run: one lookup is made per question, and it stands. Write your answer from it.',
    };
  });
}

function refusalsOf(invocations: readonly InvocationRecord[]): Refusal[] {
  return invocations.flatMap(({ call, errorCode, errorMessage, toolCallId }) =>
    errorCode === null || toolCallId !== null ? [] : [{ call, code: errorCode, message: errorMessage ?? '' }],
  );
}

function toInvocation(
  judged: JudgedCall,
  call: number,
  round: number,
  past: readonly InvocationRecord[],
  at: Date,
): InvocationRecord {
  const base: InvocationRecord = {
    call,
    round,
    toolCallId: judged.kind === 'refused' ? null : judged.id,
    tool: judged.tool,
    arguments: judged.kind === 'accepted' ? judged.arguments : '',
    repeatsCall: null,
    claim: 0,
    status: 'PROJECTING',
    evidenceStatus: null,
    errorCode: null,
    errorMessage: null,
    scope: null,
    agentResult: null,
    contentHash: null,
    resultBytes: null,
    matched: null,
    startedAt: null,
    finishedAt: null,
  };
  if (judged.kind !== 'accepted')
    return {
      ...base,
      status: 'ERROR',
      evidenceStatus: 'ERROR',
      errorCode: judged.code,
      errorMessage: judged.message,
      finishedAt: at,
    };
  const repeated = findRepeat(judged, past);
  if (repeated === null) return base;
  return {
    ...base,
    repeatsCall: repeated.call,
    status: 'READY',
    evidenceStatus: repeated.evidenceStatus,
    scope: repeated.scope,
    contentHash: repeated.contentHash,
    matched: repeated.matched,
    startedAt: at,
    finishedAt: at,
  };
}
