/** The life of a Run as a table: which status may follow which. The guarded updates enforce the same. */
import type { ReleaseOutcome, RunStatus } from '../contracts/run.js';

export const TRANSITIONS: Readonly<Record<RunStatus, readonly RunStatus[]>> = {
  QUEUED: ['RUNNING', 'REVIEWING', 'CANCELLED'],
  RUNNING: ['REVIEWING', 'CANCELLED'],
  REVIEWING: ['COMPLETED', 'FAILED', 'CANCELLED'],
  COMPLETED: [],
  FAILED: [],
  CANCELLED: [],
};

/** The status that each outcome ends in. */
export const FINAL_STATUS: Readonly<Record<ReleaseOutcome, 'COMPLETED' | 'FAILED' | 'CANCELLED'>> = {
  SUCCESS: 'COMPLETED',
  FALLBACK: 'COMPLETED',
  FAILED: 'FAILED',
  CANCELLED: 'CANCELLED',
};

export function canFollow(from: RunStatus, to: RunStatus): boolean {
  return TRANSITIONS[from].includes(to);
}

export function isFinal(status: RunStatus): boolean {
  return TRANSITIONS[status].length === 0;
}
