/** What a model's reply comes to as rows: the step, and an invocation per tool call in the message's order. */
import { Draft, KnowledgeDraft } from '../../shared/domain/contracts/draft.js';
import type { ToolName } from '../../shared/domain/contracts/tools/common.js';
import { readDraft } from '../../shared/domain/guards/draft-reply.js';
import { judgeToolCalls, type JudgedCall } from '../../shared/domain/guards/tool-call-identity.js';
import { findRepeat } from '../../shared/domain/run/saturation.js';
import type { ModelReply } from '../../shared/ports/model-client.js';
import type { EngineRun, InvocationRecord, Refusal, StepRecord } from '../../shared/ports/run-store.js';
import type { CallOutcome } from '../model-call.js';
import type { CommittedFacts } from './run-facts.js';

/** Of arguments that were refused, for the audit. */
const MAX_GIVEN_CHARACTERS = 4096;

export type Agent = 'DIAGNOSIS' | 'KNOWLEDGE_QUERY';

export interface RoundRules {
  offered: ReadonlySet<ToolName>;
  maxToolCalls: number;
  at: Date;
}

export type Answered = Extract<CallOutcome<ModelReply>, { kind: 'value' | 'failed' }>;

/** `inputHash`, `inputBytes` and `startedAt` are the caller's. */
export function buildRound(
  facts: CommittedFacts,
  next: { round: number; agent: Agent },
  outcome: Answered,
  rules: RoundRules,
): { step: StepRecord; invocations: InvocationRecord[] } {
  const base = baseStep(next, outcome, rules.at);
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
  const judged = judgeToolCalls(reply.toolCalls, {
    usedIds: new Set(
      facts.invocations.flatMap(({ toolCallId }) => (toolCallId === null ? [] : [toolCallId])),
    ),
    offered: rules.offered,
    callsLeft: rules.maxToolCalls - facts.run.toolCalls,
  });
  const invocations = limitKnowledge(next.agent, facts.run, judged).map((call, index) =>
    toInvocation(
      call,
      reply.toolCalls[index]?.arguments ?? '',
      { call: facts.run.toolCalls + index + 1, round: next.round, at: rules.at },
      facts.invocations,
    ),
  );
  return { step: { ...base, outcome: 'TOOL_CALLS', refusals: refusalsOf(invocations) }, invocations };
}

function baseStep(next: { round: number; agent: Agent }, outcome: Answered, finishedAt: Date): StepRecord {
  return {
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
  given: string,
  { call, round, at }: { call: number; round: number; at: Date },
  past: readonly InvocationRecord[],
): InvocationRecord {
  const base: InvocationRecord = {
    call,
    round,
    toolCallId: judged.kind === 'refused' ? null : judged.id,
    tool: judged.tool,
    arguments: judged.kind === 'accepted' ? judged.arguments : given.slice(0, MAX_GIVEN_CHARACTERS),
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
