/** Names of keys and channels (contract §6). A Run's keys share a hash tag, so that scripts over them work on a cluster. */
const run = (runId: string): string => `sworn:run:{${runId}}`;

export const invocationKey = (runId: string, toolCallId: string): string => `${run(runId)}:inv:${toolCallId}`;
/** Hash: tool call ID → the claim that may write its record. */
export const claimsKey = (runId: string): string => `${run(runId)}:claims`;
export const eventsKey = (runId: string): string => `${run(runId)}:events`;
/** Hash: event key → the number it has; `last` → the last number. */
export const framesKey = (runId: string): string => `${run(runId)}:frames`;
export const liveChannel = (runId: string): string => `${run(runId)}:live`;
/** Sorted set: connection → when its hold lapses, in ms. */
export const ownersKey = (runId: string): string => `${run(runId)}:owners`;
export const windowKey = (sessionId: string): string => `sworn:session:{${sessionId}}:window`;
export const CANCEL_CHANNEL = 'sworn:cancel';
