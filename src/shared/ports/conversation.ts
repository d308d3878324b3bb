/** The conversation window of a session (SR-11): last turns, expiring, in Redis; context, never evidence. */
import type { Intent } from '../domain/contracts/verdict.js';
import type { PublishedResult } from '../domain/contracts/report.js';

/** Queries, published conclusions and knowledge answers only. */
export interface Turn {
  query: string;
  answer: string;
  at: string;
}

export interface ConversationWindow {
  read(sessionId: string): Promise<Turn[]>;
  append(sessionId: string, turn: Turn): Promise<void>;
}

/** What earlier Runs of the session give the Router (SR-9, SR-13). */
export interface SessionContext {
  lastIntent: Intent | null;
  previousTurn: PublishedResult | null;
}
