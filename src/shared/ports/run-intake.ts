/**
 * What the API does to Runs: make, read, ask to stop. The engine's side is `run-store.ts`.
 * A store out of reach rejects with `StoreUnavailable`.
 */
import type { OnDisconnect } from '../domain/contracts/chat.js';
import type { RunSummary, RunView, Visibility } from '../domain/contracts/run.js';
import type { TraceInvocation, TraceStep } from '../domain/contracts/trace.js';
import type { Window } from '../domain/contracts/window.js';

export interface SessionRow {
  sessionId: string;
  principal: string;
  visibility: Visibility;
}

export interface NewRun {
  runId: string;
  sessionId: string;
  principal: string;
  query: string;
  window: Window;
  /** Of the session, when this Run makes it. */
  visibility: Visibility;
  onDisconnect: OnDisconnect;
  createdAt: Date;
}

export interface RunIntake {
  /**
   * Inserts the session if it is new and the Run as QUEUED, in one transaction. The caller has checked that it may
   * continue the session; `conflict` when the session came into being meanwhile under another principal.
   */
  create(run: NewRun): Promise<'created' | 'conflict'>;
  /** Records the request on any Run that has not ended; unconditionally, whatever its state (CA-1). */
  requestCancel(runId: string, at: Date): Promise<'requested' | 'finished' | 'unknown'>;
}

export interface FinishedRunFrames {
  /** N: the last frame's number; null until the last frames are published. */
  frameCount: number | null;
}

export interface RunRecord extends FinishedRunFrames {
  view: RunView;
  session: SessionRow;
  onDisconnect: OnDisconnect;
  attempt: number;
}

export interface RunReader {
  session(sessionId: string): Promise<SessionRow | null>;
  run(runId: string): Promise<RunRecord | null>;
  latestRunId(sessionId: string): Promise<string | null>;
  /** Newest first; `before` is a Run ID of the session, exclusive. */
  runs(sessionId: string, limit: number, before: string | null): Promise<RunSummary[]>;
  /** Steps and invocations whole; what of them is shown is the route's affair. */
  details(runId: string): Promise<{ steps: TraceStep[]; invocations: TraceInvocation[] }>;
  /** True once nothing of the Run is in flight: it is final and no invocation or model call of it runs. */
  isSettled(runId: string): Promise<boolean>;
}
