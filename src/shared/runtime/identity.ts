/** The process's sources of time and identifiers. */
import { v7 as uuidV7 } from 'uuid';
import type { Clock, IdSource } from '../ports/clock.js';

export const systemClock: Clock = { now: () => new Date() };

/** Time-ordered identifiers (RFC 9562, version 7). */
export const uuidIds: IdSource = { runId: () => `run-${uuidV7()}`, sessionId: () => `ses-${uuidV7()}` };
