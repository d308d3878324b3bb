/**
 * How the engine sees the job it works on.
 *
 * Contract: a handler never throws for a business failure. `parked` says that the job waits for its children now and its
 * slot is free; `again` gives the job back to be taken by another process; `done` ends it.
 */
import type { PendingToolJob } from './job-queue.js';

export type JobOutcome = 'done' | 'parked' | 'again';

/** The diagnose job: parent of its Run's Tool jobs. */
export interface ParentJob {
  /** Adds the calls as children; one that is there already stays as it is. */
  addToolJobs(runId: string, attempt: number, calls: readonly PendingToolJob[]): Promise<void>;
  /** True when at least one child is pending: the job is parked then, and the handler returns `parked` at once. */
  park(): Promise<boolean>;
  /** Children that no worker has taken are removed; active ones end by themselves. */
  dropWaitingChildren(): Promise<void>;
}

export interface RunningWorker {
  readonly queue: string;
  /** Takes no more jobs; resolves when those at work have ended, or after `drainMs` gives them back. Never rejects. */
  close(drainMs: number): Promise<void>;
}
