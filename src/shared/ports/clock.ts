/** Time and randomness, so that the core needs neither. */
export interface Clock {
  now(): Date;
}

export interface IdSource {
  runId(): string;
  sessionId(): string;
}
