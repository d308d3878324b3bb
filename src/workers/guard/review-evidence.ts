/** EvidenceGuard over a concluded Draft, with the one repair that it may buy (EG-3, ER-1 … ER-3). */
import { Draft } from '../../shared/domain/contracts/draft.js';
import { ToolCallId } from '../../shared/domain/contracts/ids.js';
import { DRAFT_MAX_BYTES, readDraft } from '../../shared/domain/guards/draft-reply.js';
import {
  checkDraft,
  referencedIds,
  type GuardVerdict,
  type RecordSource,
} from '../../shared/domain/guards/evidence-guard.js';
import { isReferenceRepair, repairPayload } from '../../shared/domain/guards/repair.js';
import type { Violation } from '../../shared/domain/guards/violations.js';
import type { StageReply } from '../../shared/domain/guards/reply.js';
import { isConcluded, type ConcludedDraft } from '../../shared/domain/guards/semantic.js';
import { repairMessages } from '../../shared/domain/prompts/repair.js';
import type { CanonicalStore } from '../../shared/ports/canonical-store.js';
import type { ModelOutcome } from '../../shared/ports/model-client.js';
import type { EngineRun, InvocationRecord, StepRecord } from '../../shared/ports/run-store.js';
import { failureCode } from '../model-call.js';
import { reviewFrame, type Frames } from '../frames.js';
import { callGuard, type GuardDeps } from './guard-call.js';

export interface EvidenceDeps extends GuardDeps {
  canonical: CanonicalStore;
  frames: Frames;
}

export type EvidenceReview =
  | { kind: 'passed'; draft: ConcludedDraft; verdict: Extract<GuardVerdict, { ok: true }> }
  | { kind: 'rejected' }
  | { kind: 'stopped' };

export interface ReviewInput {
  run: EngineRun;
  draft: ConcludedDraft;
  steps: readonly StepRecord[];
  invocations: readonly InvocationRecord[];
}

export async function reviewEvidence(
  deps: EvidenceDeps,
  input: ReviewInput,
  signal: AbortSignal,
): Promise<EvidenceReview> {
  const { run, draft } = input;
  const runIds = input.invocations.flatMap(({ toolCallId }) => (toolCallId === null ? [] : [toolCallId]));
  const check = async (candidate: ConcludedDraft): Promise<GuardVerdict> =>
    checkDraft(run.runId, candidate, await loadRecords(deps, run.runId, referencedIds(candidate)), runIds);
  const first = await check(draft);
  await deps.frames.publish(run, [reviewFrame('evidence', first.ok ? 'passed' : 'rejected', 1)]);
  if (first.ok) return { kind: 'passed', draft, verdict: first };
  const repaired = await repair(deps, input, first.violations, signal);
  if (repaired.kind === 'stopped') return { kind: 'stopped' };
  if (repaired.kind === 'none') {
    await deps.frames.publish(run, [reviewFrame('repair', repaired.outcome, 1)]);
    return { kind: 'rejected' };
  }
  const second = await check(repaired.draft);
  await deps.frames.publish(run, [
    reviewFrame('repair', 'passed', 1),
    reviewFrame('evidence', second.ok ? 'passed' : 'rejected', 2),
  ]);
  return second.ok ? { kind: 'passed', draft: repaired.draft, verdict: second } : { kind: 'rejected' };
}

type Repair =
  | { kind: 'repaired'; draft: ConcludedDraft }
  | { kind: 'none'; outcome: 'rejected' | 'unavailable' }
  | { kind: 'stopped' };

/** Exactly one call per Run: one that a crash cut off is used up, one that was answered is read again. */
async function repair(
  deps: EvidenceDeps,
  input: ReviewInput,
  violations: readonly Violation[],
  signal: AbortSignal,
): Promise<Repair> {
  const earlier = input.steps.find((step) => step.stage === 'repair');
  if (earlier !== undefined) return settled(input.draft, earlier);
  const messages = repairMessages(repairPayload(input.draft, violations, citableCalls(input.invocations)));
  const call = await callGuard(
    deps,
    input.run,
    {
      stage: 'repair',
      attempt: 1,
      messages,
      timeoutMs: deps.limits.modelTimeoutMs,
      maxOutputBytes: DRAFT_MAX_BYTES,
      describe: (outcome) => describeRepair(input.draft, outcome),
    },
    signal,
  );
  switch (call.kind) {
    case 'stopped':
      return { kind: 'stopped' };
    case 'spent':
    case 'used_up':
      return unavailable;
    case 'answered':
      return call.outcome.ok ? judge(input.draft, call.outcome.reply) : unavailable;
  }
}

const REFUSED = 'REPAIR_REFUSED';
const unavailable: Repair = { kind: 'none', outcome: 'unavailable' };

/** What an earlier activation's call came to; one that ended badly then does not end well now. */
function settled(original: ConcludedDraft, step: StepRecord): Repair {
  if (step.state === 'COMMITTED' && step.output !== null)
    return judge(original, { content: step.output, finishReason: 'stop', refused: false, toolCalls: [] });
  return step.outcome === REFUSED ? { kind: 'none', outcome: 'rejected' } : unavailable;
}

function judge(original: ConcludedDraft, reply: StageReply): Repair {
  const read = readDraft(reply, Draft);
  if (!read.ok || !isConcluded(read.draft) || !isReferenceRepair(original, read.draft))
    return { kind: 'none', outcome: 'rejected' };
  return { kind: 'repaired', draft: read.draft };
}

function describeRepair(
  original: ConcludedDraft,
  outcome: ModelOutcome,
): { state: 'COMMITTED' | 'FAILED'; outcome: string } {
  if (!outcome.ok) return { state: 'FAILED', outcome: failureCode(outcome.failure) };
  const judged = judge(original, outcome.reply);
  return judged.kind === 'repaired'
    ? { state: 'COMMITTED', outcome: 'REPAIRED' }
    : { state: 'FAILED', outcome: REFUSED };
}

function citableCalls(invocations: readonly InvocationRecord[]) {
  return invocations.flatMap((record) =>
    record.toolCallId === null || record.status !== 'READY' || record.repeatsCall !== null
      ? []
      : [
          {
            tool_call_id: record.toolCallId,
            tool: record.tool,
            evidence_status: record.evidenceStatus ?? 'ERROR',
          },
        ],
  );
}

export async function loadRecords(
  deps: { canonical: CanonicalStore },
  runId: string,
  ids: readonly string[],
): Promise<RecordSource> {
  // An ID that could not be a key of this Run resolves to nothing without being asked for.
  const sane = ids.filter((id) => ToolCallId.safeParse(id).success);
  const records = await deps.canonical.load(runId, sane);
  return new Map(sane.map((id, index) => [id, records[index] ?? null]));
}
