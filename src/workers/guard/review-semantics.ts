/**
 * SemanticGuard (SG-1 … SG-6): two attempts with byte-identical input, each persisted before its call; a valid verdict is
 * final. Everything else is unavailable, never supported.
 */
import { readVerdict, semanticMessages, type ConcludedDraft } from '../../shared/domain/guards/semantic.js';
import type { EvidenceSnapshot } from '../../shared/domain/prompts/payloads.js';
import type { ModelOutcome } from '../../shared/ports/model-client.js';
import type { EngineRun, StepRecord } from '../../shared/ports/run-store.js';
import { pause } from '../../shared/runtime/pause.js';
import { failureCode, inputOf, retryDelay } from '../model-call.js';
import { callGuard, type GuardAttempt, type GuardCall, type GuardDeps } from './guard-call.js';

const ATTEMPTS = 2;

export type SemanticOutcome = 'SUPPORTED' | 'UNSUPPORTED' | 'UNAVAILABLE' | 'stopped';

export async function reviewSemantics(
  deps: GuardDeps,
  run: EngineRun,
  verified: { draft: ConcludedDraft; snapshot: EvidenceSnapshot },
  steps: readonly StepRecord[],
  signal: AbortSignal,
): Promise<SemanticOutcome> {
  const input = semanticMessages(run.query, verified.draft, verified.snapshot);
  if (input.bytes > deps.limits.semanticInputBytes) return 'UNAVAILABLE';
  const earlier = steps.filter((step) => step.stage === 'semantic');
  // A verdict is of the input that it judged: one over another snapshot supports nothing.
  const { hash } = inputOf(input.messages);
  const settled = earlier.find(
    (step) => step.inputHash === hash && (step.outcome === 'SUPPORTED' || step.outcome === 'UNSUPPORTED'),
  );
  if (settled !== undefined) return settled.outcome === 'SUPPORTED' ? 'SUPPORTED' : 'UNSUPPORTED';
  const began = earlier[0]?.startedAt ?? deps.clock.now();
  const left = (): number => began.getTime() + deps.limits.semanticTotalMs - deps.clock.now().getTime();
  for (let attempt = earlier.length + 1; attempt <= ATTEMPTS; attempt += 1) {
    if (left() <= 0) return 'UNAVAILABLE';
    const call = await callGuard(deps, run, attemptOf(deps, input.messages, attempt, left()), signal);
    const next = await judge(call, attempt, left, deps.limits.semanticOutputBytes, signal);
    if (next !== 'again') return next;
  }
  return 'UNAVAILABLE';
}

function attemptOf(
  deps: GuardDeps,
  messages: GuardAttempt['messages'],
  attempt: number,
  leftMs: number,
): GuardAttempt {
  const maxOutputBytes = deps.limits.semanticOutputBytes;
  return {
    stage: 'semantic',
    attempt,
    messages,
    timeoutMs: Math.min(deps.limits.semanticAttemptMs, leftMs),
    maxOutputBytes,
    describe: (outcome) => describe(outcome, maxOutputBytes),
  };
}

async function judge(
  call: GuardCall,
  attempt: number,
  left: () => number,
  maxBytes: number,
  signal: AbortSignal,
): Promise<SemanticOutcome | 'again'> {
  switch (call.kind) {
    case 'stopped':
      return 'stopped';
    case 'spent':
      return 'UNAVAILABLE';
    case 'used_up':
      return 'again';
    case 'answered': {
      const verdict = verdictOf(call.outcome, maxBytes);
      if (verdict !== null) return verdict;
      if (call.outcome.ok) return 'again';
      const wait = retryDelay(call.outcome.failure, left());
      if (wait === null) return 'UNAVAILABLE';
      if (attempt < ATTEMPTS) await pause(wait, signal);
      return signal.aborted ? 'stopped' : 'again';
    }
  }
}

function verdictOf(outcome: ModelOutcome, maxBytes: number): 'SUPPORTED' | 'UNSUPPORTED' | null {
  if (!outcome.ok) return null;
  const read = readVerdict(outcome.reply, maxBytes);
  return read.ok ? read.value.verdict : null;
}

function describe(
  outcome: ModelOutcome,
  maxBytes: number,
): { state: 'COMMITTED' | 'FAILED'; outcome: string } {
  if (!outcome.ok) return { state: 'FAILED', outcome: failureCode(outcome.failure) };
  const read = readVerdict(outcome.reply, maxBytes);
  return read.ok
    ? { state: 'COMMITTED', outcome: read.value.verdict }
    : { state: 'FAILED', outcome: read.failure };
}
