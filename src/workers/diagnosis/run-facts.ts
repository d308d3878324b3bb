/** Committed rows as the facts that the pure core decides on. */
import type { ToolName } from '../../shared/domain/contracts/tools/common.js';
import { isToolName } from '../../shared/domain/contracts/tools/catalogue.js';
import type { CommittedCall, CommittedRound } from '../../shared/domain/prompts/agent-messages.js';
import type { RoundOutcome, RunState } from '../../shared/domain/run/next-step.js';
import { roundsWithoutNews } from '../../shared/domain/run/saturation.js';
import type { EngineRun, InvocationRecord, StepRecord } from '../../shared/ports/run-store.js';
import { agentSteps } from '../agent-steps.js';

export interface CommittedFacts {
  run: EngineRun;
  steps: readonly StepRecord[];
  invocations: readonly InvocationRecord[];
}

export function isOpen(record: InvocationRecord): boolean {
  return record.status === 'PROJECTING';
}

export function runState({ run, steps, invocations }: CommittedFacts, now: Date): RunState {
  const rounds = agentSteps(steps);
  const began = run.startedAt ?? now;
  return {
    intent: run.intent,
    rounds: rounds.map((step) => roundOutcome(step)),
    openCalls: invocations.filter(isOpen).map((record) => record.call),
    stopped: run.stopReason !== null,
    barrenRounds: roundsWithoutNews(
      rounds.map((step) =>
        invocations
          .filter((record) => record.round === step.round && record.status === 'READY')
          .map((record) => record.contentHash ?? `call ${record.call}`),
      ),
    ),
    usage: {
      modelCalls: run.modelCalls,
      toolCalls: run.toolCalls,
      tokens: run.tokens,
      evidenceBytes: evidenceBytes(invocations),
      elapsedMs: now.getTime() - began.getTime(),
    },
  };
}

export function evidenceBytes(invocations: readonly InvocationRecord[]): number {
  return invocations.reduce(
    (sum, record) =>
      sum + (record.status === 'READY' && record.repeatsCall === null ? (record.resultBytes ?? 0) : 0),
    0,
  );
}

function roundOutcome(step: StepRecord): RoundOutcome {
  const known = (['TOOL_CALLS', 'DRAFT', 'INVALID_DRAFT'] as const).find(
    (outcome) => outcome === step.outcome,
  );
  return known ?? 'FAILED';
}

/** The transcript's rounds; all of their calls have ended. */
export function committedRounds({ steps, invocations }: CommittedFacts): CommittedRound[] {
  return agentSteps(steps).map((step) => ({
    content: step.output ?? '',
    calls: invocations
      .filter((record) => record.round === step.round)
      .flatMap((record) => toCommittedCall(record, invocations)),
    notices: step.refusals.filter(({ code }) => isIdentityCode(code)).map(({ message }) => message),
  }));
}

function isIdentityCode(code: string): boolean {
  return code === 'INVALID_TOOL_CALL_ID' || code === 'DUPLICATE_TOOL_CALL_ID';
}

function toCommittedCall(record: InvocationRecord, all: readonly InvocationRecord[]): CommittedCall[] {
  if (record.toolCallId === null) return [];
  return [
    {
      toolCallId: record.toolCallId,
      // A tool that does not exist has no name that may stand in a transcript; endpoints refuse an empty one.
      tool: record.tool,
      // Arguments that were refused stay in the audit: text that is no JSON would poison every later round.
      arguments: record.errorCode === null || isExecuted(record) ? record.arguments : '{}',
      answer: answerOf(record, all),
    },
  ];
}

/** Its arguments were judged fit, whatever came of the call. */
function isExecuted(record: InvocationRecord): boolean {
  return record.startedAt !== null;
}

function answerOf(record: InvocationRecord, all: readonly InvocationRecord[]): CommittedCall['answer'] {
  const earlier = all.find((item) => item.call === record.repeatsCall);
  if (earlier !== undefined && earlier.toolCallId !== null && earlier.agentResult !== null)
    return { kind: 'repeat', of: earlier.toolCallId, json: earlier.agentResult };
  if (record.status === 'READY' && record.agentResult !== null)
    return { kind: 'projection', json: record.agentResult };
  return {
    kind: 'error',
    code: record.errorCode ?? 'FAILED',
    message: record.errorMessage ?? 'The call came to nothing.',
  };
}

export function pendingToolJobs(
  invocations: readonly InvocationRecord[],
): { call: number; tool: ToolName }[] {
  return invocations.filter(isOpen).flatMap(({ call, tool }) => (isToolName(tool) ? [{ call, tool }] : []));
}
