/**
 * The queue side of a Run: one flow, `release ← diagnose ← tool calls`.
 *
 * Contract: adding what is there already does nothing. Producers are bounded in time: a Redis that is away rejects with
 * `StoreUnavailable` rather than hanging.
 */
import type { ToolName } from '../domain/contracts/tools/common.js';

export interface RunQueue {
  /** Adds the Run's flow in one transaction. Commit the row first. */
  enqueueRun(runId: string, attempt: number): Promise<void>;
  /** Jobs waiting to begin in `runs`. */
  waitingRuns(): Promise<number>;
  /** True when the release job of that attempt exists, in any state but completed or failed. */
  isLive(runId: string, attempt: number): Promise<boolean>;
}

export interface PendingToolJob {
  call: number;
  tool: ToolName;
}
