/** The life of a Run as a table: which status may follow which. Claims are guarded by it. */
import { RunStatus, type ReleaseOutcome } from '../contracts/run.js';

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

/** The statuses from which `to` may be claimed: those before it, and itself, since a claim may be taken again. */
export function claimableFrom(to: RunStatus): readonly RunStatus[] {
  return RunStatus.options.filter((from) => from === to || TRANSITIONS[from].includes(to));
}
