/**
 * The release job of a Run: it trusts the rows alone, reviews what the agent left, lets the policy decide, and ends the
 * Run through the one finalizer (FL-3, RP-1 … RP-9).
 */
import { Draft, KnowledgeDraft } from '../../shared/domain/contracts/draft.js';
import type { RunJob } from '../../shared/domain/contracts/jobs.js';
import type { ReadyRecord } from '../../shared/domain/guards/canonical-record.js';
import { readDraft } from '../../shared/domain/guards/draft-reply.js';
import { checkNoConclusion, referencedIds } from '../../shared/domain/guards/evidence-guard.js';
import { bindKnowledge } from '../../shared/domain/guards/knowledge.js';
import { cleanMissingContext } from '../../shared/domain/release/safe-fallback.js';
import { isConcluded } from '../../shared/domain/guards/semantic.js';
import type { JobOutcome } from '../../shared/ports/job-runner.js';
import type { EngineRun, InvocationRecord, StepRecord } from '../../shared/ports/run-store.js';
import { agentSteps } from '../agent-steps.js';
import { withActivation, type Activation, type ActivationDeps } from '../activation.js';
import { reviewFrame, statusFrame } from '../frames.js';
import { endCancelled } from './end-cancelled.js';
import { endingOf, type Reviewed } from './ending.js';
import { finalizeRun, type FinalizeDeps } from './finalize.js';
import { loadRecords, reviewEvidence, type EvidenceDeps } from './review-evidence.js';
import { reviewSemantics } from './review-semantics.js';
import { completedChecks } from './completed-checks.js';
import { runCoverage } from './run-coverage.js';

export type ReleaseDeps = FinalizeDeps & EvidenceDeps & ActivationDeps;

/** What the rows say when the review begins. */
interface Case {
  run: EngineRun;
  steps: readonly StepRecord[];
  invocations: readonly InvocationRecord[];
  /** The Run's completed checks, strictly parsed from the canonical store. */
  progress: readonly ReadyRecord[];
}

export async function release(deps: ReleaseDeps, job: RunJob, signal: AbortSignal): Promise<JobOutcome> {
  const claimed = await deps.store.claim(job.runId, 'review', job.attempt, deps.clock.now());
  if (!claimed.ok) {
    if (claimed.reason === 'cancelled') await endCancelled(deps, job.runId);
    return 'done';
  }
  const { run } = claimed;
  return withActivation(deps, run.runId, signal, async (activation) => {
    const [steps, invocations] = await Promise.all([
      deps.store.steps(run.runId),
      deps.store.invocations(run.runId),
      deps.frames.publish(run, [statusFrame('REVIEWING')]),
    ]);
    if (steps.some((step) => step.state === 'STARTED'))
      await deps.store.abandonGuardSteps({ runId: run.runId, epoch: run.epoch }, deps.clock.now());
    const progress = await completedChecks(deps, run, invocations);
    const reviewed = await review(deps, { run, steps, invocations, progress }, activation.signal);
    if (reviewed === 'stopped') return interrupted(deps, run, activation);
    const ending = endingOf(run, reviewed, progress);
    const coverage = runCoverage(run, invocations, ending.outcome === 'SUCCESS');
    const outcome = await finalizeRun(deps, run, ending, coverage);
    if (outcome === 'cancelled') await endCancelled(deps, run.runId);
    return 'done';
  });
}

/** A cancel hint in a guard process: a Run that waits in the queue ends at once; others end by their own flow. */
export async function onCancelHint(deps: ReleaseDeps, runId: string): Promise<void> {
  try {
    const run = await deps.store.load(runId);
    if (run !== null && run.status === 'QUEUED' && run.cancelRequestedAt !== null)
      await endCancelled(deps, runId);
  } catch (error) {
    deps.log.warn({ runId, err: error }, 'a cancel hint came to nothing; the sweeper will end the run');
  }
}

async function interrupted(deps: ReleaseDeps, run: EngineRun, activation: Activation): Promise<JobOutcome> {
  if (activation.stopped() === 'SHUTDOWN') return 'again';
  if (activation.stopped() !== 'LOST') await endCancelled(deps, run.runId);
  return 'done';
}

async function review(deps: ReleaseDeps, input: Case, signal: AbortSignal): Promise<Reviewed | 'stopped'> {
  const { run, steps, progress } = input;
  if (run.intent === 'OUT_OF_SCOPE') return { facts: { kind: 'out_of_scope' } };
  if (run.stopReason !== null) return { facts: { kind: 'controlled_stop' } };
  const last = agentSteps(steps).at(-1);
  // The agent's part ended without a Draft and without a stop: a fault of the harness, and nothing to publish.
  if (last === undefined || run.intent === null || last.outcome === 'TOOL_CALLS')
    return { failed: 'INTERNAL' };
  if (last.state === 'FAILED') return { facts: { kind: 'model_failed', progress: progress.length > 0 } };
  if (run.intent === 'KNOWLEDGE_QUERY') return reviewKnowledge(deps, input, last);
  return reviewDiagnosis(deps, input, last, signal);
}

async function reviewDiagnosis(
  deps: ReleaseDeps,
  input: Case,
  last: StepRecord,
  signal: AbortSignal,
): Promise<Reviewed | 'stopped'> {
  const { run, invocations } = input;
  const read = last.outcome === 'DRAFT' ? readDraft(storedReply(last), Draft) : null;
  if (read === null || !read.ok) {
    await skip(deps, run);
    return { facts: { kind: 'invalid_draft' } };
  }
  const { draft } = read;
  if (!isConcluded(draft)) {
    await checkReferences(deps, run, draft);
    return {
      facts: {
        kind: 'no_conclusion',
        toolCalls:
          invocations.length > 0 || draft.analyses.some(({ tool_call_ids }) => tool_call_ids.length > 0),
        missingContext: cleanMissingContext(draft.missing_context).length > 0,
      },
      missingContext: draft.missing_context,
    };
  }
  const evidence = await reviewEvidence(deps, { ...input, draft }, signal);
  if (evidence.kind === 'stopped') return 'stopped';
  if (evidence.kind === 'rejected') {
    await deps.frames.publish(run, [reviewFrame('semantic', 'skipped', 1)]);
    return { facts: { kind: 'concluded', evidence: 'rejected' } };
  }
  const { snapshot, records } = evidence.verdict;
  const semantic = await reviewSemantics(deps, run, { draft: evidence.draft, snapshot }, input.steps, signal);
  if (semantic === 'stopped') return 'stopped';
  const shown = { SUPPORTED: 'passed', UNSUPPORTED: 'rejected', UNAVAILABLE: 'unavailable' } as const;
  await deps.frames.publish(run, [reviewFrame('semantic', shown[semantic], 1)]);
  return {
    facts: { kind: 'concluded', evidence: 'passed', semantic },
    verified: { draft: evidence.draft, records },
  };
}

/** EG-4, EG-5: authenticity alone; a reference that does not hold is left out, and nothing is repaired. */
async function checkReferences(deps: ReleaseDeps, run: EngineRun, draft: Draft): Promise<void> {
  const ids = referencedIds(draft);
  const accepted = checkNoConclusion(run.runId, draft, await loadRecords(deps, run.runId, ids));
  const held = accepted.length === ids.length ? 'passed' : 'rejected';
  await deps.frames.publish(run, [
    reviewFrame('evidence', ids.length === 0 ? 'skipped' : held, 1),
    reviewFrame('semantic', 'skipped', 1),
  ]);
}

async function skip(deps: ReleaseDeps, run: EngineRun): Promise<void> {
  await deps.frames.publish(run, [
    reviewFrame('evidence', 'skipped', 1),
    reviewFrame('semantic', 'skipped', 1),
  ]);
}

async function reviewKnowledge(deps: ReleaseDeps, input: Case, last: StepRecord): Promise<Reviewed> {
  const { run, invocations } = input;
  const read = last.outcome === 'DRAFT' ? readDraft(storedReply(last), KnowledgeDraft) : null;
  const lookup = invocations.find((record) => record.tool === 'rag_lookup' && record.toolCallId !== null);
  const id = lookup?.toolCallId ?? null;
  const raw = id === null ? null : ((await loadRecords(deps, run.runId, [id])).get(id) ?? null);
  const binding = bindKnowledge(
    run.runId,
    read !== null && read.ok ? read.draft : null,
    id === null ? null : { toolCallId: id, raw },
  );
  await deps.frames.publish(run, [
    reviewFrame('evidence', binding.ok ? 'passed' : 'rejected', 1),
    reviewFrame('semantic', 'skipped', 1),
  ]);
  if (binding.ok) return { facts: { kind: 'knowledge', binding: 'bound' }, knowledge: binding.answer };
  return { facts: { kind: 'knowledge', binding: binding.fault === 'NO_HITS' ? 'no_hits' : 'faulty' } };
}

/** A committed Draft was whole and willing when it was committed; its text is read again by the one decoder. */
function storedReply(step: StepRecord) {
  return { content: step.output ?? '', finishReason: 'stop', refused: false, toolCalls: [] };
}
