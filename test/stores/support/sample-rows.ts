/** Rows of a Run as its writers make them, with what a test wants changed. */
import type { NewRun } from '../../../src/shared/ports/run-intake.js';
import type {
  Finalization,
  InvocationEnd,
  InvocationRecord,
  RoundCommit,
  StepRecord,
} from '../../../src/shared/ports/run-store.js';
import { uuidIds } from '../../../src/shared/runtime/identity.js';

export const AT = new Date('2026-11-30T10:00:00.123Z');
export const later = (ms: number): Date => new Date(AT.getTime() + ms);

export function newRun(change: Partial<NewRun> = {}): NewRun {
  return {
    runId: uuidIds.runId(),
    sessionId: uuidIds.sessionId(),
    principal: 'alice',
    query: 'Why is checkout slow?',
    window: { from: '2026-11-30T09:00:00.000Z', to: '2026-11-30T10:00:00.000Z' },
    visibility: 'private',
    onDisconnect: 'continue',
    createdAt: AT,
    ...change,
  };
}

export function step(change: Partial<StepRecord> = {}): StepRecord {
  return {
    stage: 'diagnosis',
    round: 1,
    state: 'COMMITTED',
    outcome: 'TOOL_CALLS',
    attempts: 1,
    model: 'scripted-1',
    promptTokens: 100,
    completionTokens: 20,
    durationMs: 5,
    inputHash: 'a'.repeat(64),
    inputBytes: 400,
    output: null,
    refusals: [],
    startedAt: AT,
    finishedAt: later(5),
    ...change,
  };
}

export const guardStep = (change: Partial<StepRecord> = {}): StepRecord =>
  step({ stage: 'semantic', state: 'STARTED', outcome: null, finishedAt: null, ...change });

export function invocation(call: number, change: Partial<InvocationRecord> = {}): InvocationRecord {
  return {
    call,
    round: 1,
    toolCallId: `call_${call}`,
    tool: 'log_search',
    arguments: '{"query":"timeout"}',
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
    ...change,
  };
}

export function round(invocations: InvocationRecord[], change: Partial<RoundCommit> = {}): RoundCommit {
  return { step: step(), invocations, tokens: 120, frames: 1 + 2 * invocations.length, ...change };
}

export function ready(change: Partial<InvocationEnd> = {}): InvocationEnd {
  return {
    status: 'READY',
    evidenceStatus: 'EVIDENCE_FOUND',
    errorCode: null,
    errorMessage: null,
    scope: '{"limit":50}',
    agentResult: '{"matched":7}',
    contentHash: 'b'.repeat(64),
    resultBytes: 13,
    matched: 7,
    finishedAt: later(40),
    ...change,
  };
}

export function ending(change: Partial<Finalization> = {}): Finalization {
  return {
    status: 'COMPLETED',
    outcome: 'SUCCESS',
    errorCode: null,
    publicResult: {},
    publishedResult: published('It was the index.'),
    coverage: [],
    finishedAt: later(1000),
    ...change,
  };
}

export const published = (conclusion: string) => ({
  user_query: 'Why is checkout slow?',
  published_conclusion: conclusion,
  scope: [],
  limitations: [],
  source_documents: [],
});

export const cancelled: Partial<Finalization> = {
  status: 'CANCELLED',
  outcome: 'CANCELLED',
  publishedResult: null,
};
