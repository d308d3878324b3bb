/**
 * The engine's side of a Run: claims, committed steps, invocations, the end.
 *
 * Contract: every write is one transaction and carries the caller's fence. A {@link Fence} is the Run's epoch as the
 * caller claimed it; a newer claim, a final Run or a recorded cancel request makes the write change nothing and say so.
 * `lost` means: someone else works on the Run now, stop at once; `cancelled`: a cancel request stands.
 * A store out of reach rejects with `StoreUnavailable`.
 */
import type {
  InvocationErrorCode,
  EvidenceStatus,
  InvocationStatus,
} from '../domain/contracts/invocation.js';
import type { CoverageItem } from '../domain/contracts/coverage.js';
import type { PublishedResult } from '../domain/contracts/report.js';
import type { PublicResult, ReleaseOutcome, RunErrorCode, RunStatus } from '../domain/contracts/run.js';
import type { StepState } from '../domain/contracts/trace.js';
import type { Intent } from '../domain/contracts/verdict.js';
import type { Window } from '../domain/contracts/window.js';
import type { ConversationTurn, Material } from '../domain/prompts/payloads.js';
import type { Stage } from './model-client.js';

export interface Fence {
  runId: string;
  epoch: number;
}

export type WriteOutcome = 'written' | 'cancelled' | 'lost';

/** Gathered once, at the Run's first activation, so that every later one builds the same prompts. */
export interface RunContext {
  conversation: ConversationTurn[];
  lastIntent: Intent | null;
  previousTurn: PublishedResult | null;
  material: Material;
}

/** Why the agent was stopped, when it was (RP-8). */
export type StopReason = 'BUDGET' | 'SATURATION';

export interface EngineRun {
  runId: string;
  sessionId: string;
  query: string;
  window: Window;
  intent: Intent | null;
  status: RunStatus;
  releaseOutcome: ReleaseOutcome | null;
  epoch: number;
  /** Which making of the flow this is; job IDs carry it. */
  attempt: number;
  /** Committed agent rounds. */
  rounds: number;
  modelCalls: number;
  toolCalls: number;
  tokens: number;
  stopReason: StopReason | null;
  models: string[];
  context: RunContext | null;
  createdAt: Date;
  startedAt: Date | null;
  cancelRequestedAt: Date | null;
  /** No frame of the Run has a number above this one. */
  frameSeq: number;
  frameCount: number | null;
}

/** A call that came to nothing before it could run, in the model's order (ID-3). */
export interface Refusal {
  call: number;
  code: InvocationErrorCode;
  /** Told to the model. */
  message: string;
}

export interface StepRecord {
  stage: Stage;
  /** Of the agent: 1, 2, …; of repair and semantic: the attempt. */
  round: number;
  state: StepState;
  outcome: string | null;
  attempts: number;
  model: string | null;
  promptTokens: number | null;
  completionTokens: number | null;
  durationMs: number | null;
  inputHash: string | null;
  inputBytes: number | null;
  /** The model's own words. */
  output: string | null;
  refusals: Refusal[];
  startedAt: Date;
  finishedAt: Date | null;
}

export interface InvocationRecord {
  call: number;
  round: number;
  /** Null for a call that the identity rule refused. */
  toolCallId: string | null;
  /** `unknown` when no such tool exists. */
  tool: string;
  /** Canonical JSON when the call was judged fit; else the model's own text, clipped, for the audit. */
  arguments: string;
  /** The earlier call that this one repeats; it is not run again. */
  repeatsCall: number | null;
  claim: number;
  status: InvocationStatus;
  evidenceStatus: EvidenceStatus | null;
  errorCode: InvocationErrorCode | null;
  errorMessage: string | null;
  scope: string | null;
  agentResult: string | null;
  /** SHA-256 of what makes the evidence new: content and scope without the call's own ID. */
  contentHash: string | null;
  resultBytes: number | null;
  matched: number | null;
  startedAt: Date | null;
  finishedAt: Date | null;
}

export type Claimed =
  { ok: true; run: EngineRun } | { ok: false; reason: 'unknown' | 'final' | 'cancelled' | 'elsewhere' };

export interface RoundCommit {
  step: StepRecord;
  invocations: InvocationRecord[];
  /** Tokens of the step, counted or estimated. */
  tokens: number;
  intent?: Intent;
  /** The models that have answered for this Run, when the step added one. */
  models?: readonly string[];
  /** How many frames this commit and its invocations may publish. */
  frames: number;
}

export type InvocationClaim =
  | {
      ok: true;
      invocation: InvocationRecord;
      run: Pick<EngineRun, 'runId' | 'window' | 'context' | 'frameSeq'> & { startedAt: Date };
    }
  | { ok: false; reason: 'unknown' | 'done' | 'final' | 'cancelled' };

export type InvocationEnd = Pick<
  InvocationRecord,
  | 'evidenceStatus'
  | 'errorCode'
  | 'errorMessage'
  | 'scope'
  | 'agentResult'
  | 'contentHash'
  | 'resultBytes'
  | 'matched'
> & { status: 'READY' | 'ERROR'; finishedAt: Date };

export interface Finalization {
  status: 'COMPLETED' | 'FAILED' | 'CANCELLED';
  outcome: ReleaseOutcome;
  errorCode: RunErrorCode | null;
  publicResult: PublicResult;
  publishedResult: PublishedResult | null;
  coverage: CoverageItem[];
  finishedAt: Date;
}

export interface RunStore {
  /**
   * Takes the Run with a new epoch. `diagnose` and `review` refuse a Run whose cancellation was asked for, and a flow
   * that is not the Run's latest `attempt` (null: whichever it is); `cancel` takes only a Run to be cancelled.
   */
  claim(
    runId: string,
    purpose: 'diagnose' | 'review' | 'cancel',
    attempt: number | null,
    at: Date,
  ): Promise<Claimed>;
  load(runId: string): Promise<EngineRun | null>;
  steps(runId: string): Promise<StepRecord[]>;
  /** In the order of their numbers. */
  invocations(runId: string): Promise<InvocationRecord[]>;

  saveContext(fence: Fence, context: RunContext): Promise<WriteOutcome>;
  /** Counts one HTTP attempt before it is made (BU-1); the last check before a model call (CA-1). */
  reserveModelCall(fence: Fence): Promise<WriteOutcome>;
  /** Counts the attempt and persists it, so that a crash cannot buy another; `exists` when it was begun before. */
  beginGuardStep(fence: Fence, step: StepRecord): Promise<WriteOutcome | 'exists'>;
  /** Guard attempts that a crash left begun: they are used up, and end as FAILED. */
  abandonGuardSteps(fence: Fence, at: Date): Promise<void>;
  endGuardStep(
    fence: Fence,
    step: StepRecord,
    tokens: number,
    models?: readonly string[],
  ): Promise<WriteOutcome>;
  /** Commits a Router or agent round with its invocations (idempotent by stage and round). */
  commitRound(fence: Fence, commit: RoundCommit): Promise<WriteOutcome>;
  recordStop(fence: Fence, reason: StopReason): Promise<WriteOutcome>;

  claimInvocation(runId: string, call: number, at: Date): Promise<InvocationClaim>;
  /** Written only under the invocation's own claim and while the Run is not final. */
  endInvocation(runId: string, call: number, claim: number, end: InvocationEnd): Promise<'written' | 'lost'>;
  /** Ends what is still open as ERROR, under a new claim of each, so that a late worker writes nothing. */
  closeOpenInvocations(fence: Fence, code: InvocationErrorCode, at: Date): Promise<number[]>;

  /** The only writer of `release_outcome` (one guarded UPDATE). */
  finalize(fence: Fence, end: Finalization): Promise<WriteOutcome>;
  /** N, once `done` is in the log. */
  recordFrameCount(runId: string, count: number): Promise<void>;
  raiseFrameSeq(runId: string, seq: number): Promise<void>;
}

/** A Run that has not ended, as the sweeper sees it. */
export interface UnfinishedRun {
  runId: string;
  attempt: number;
  status: RunStatus;
  createdAt: Date;
  startedAt: Date | null;
  cancelRequestedAt: Date | null;
}

/** What the sweeper looks for. */
export interface RunSweep {
  /** A page of Runs that have not ended and were made before `before`, oldest first, behind the Run `after`. */
  unfinished(before: Date, after: UnfinishedRun | null, limit: number): Promise<UnfinishedRun[]>;
  /** Final Runs whose last frames are not known to be published. */
  unpublished(before: Date, limit: number): Promise<string[]>;
  /** The next attempt's number, or null when the Run has moved on. */
  nextAttempt(runId: string, attempt: number): Promise<number | null>;
}

/** What the session's earlier Runs say (SR-9, SR-13). */
export interface SessionHistory {
  lastIntent(sessionId: string): Promise<Intent | null>;
  previousTurn(sessionId: string): Promise<PublishedResult | null>;
}
