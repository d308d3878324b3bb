/** The conversation window of a session (SR-11): last turns, expiring, in Redis; context, never evidence. */

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
