/** What a FAILED Run says: fixed text per code, with the way out; never an internal reason (RP-3, SE-1). */
import type { RunErrorCode } from '../contracts/run.js';

const MESSAGES: Readonly<Record<RunErrorCode, string>> = {
  MODEL_UNAVAILABLE:
    'The model endpoint did not answer usefully, so nothing was diagnosed. Ask again; if it persists, the operator finds the reason in the worker logs.',
  STATE_LOST:
    'The working state of this Run was lost and could not be rebuilt, so nothing is published. Ask again to start a new Run.',
  INTERNAL:
    'Something went wrong inside sworn, so nothing is published. Ask again; the operator finds the reason in the worker logs.',
};

export function runErrorMessage(code: RunErrorCode): string {
  return MESSAGES[code];
}
