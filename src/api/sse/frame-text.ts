/** Frames as `text/event-stream` (WHATWG HTML, server-sent events). Pure. */
import type { Frame } from '../../shared/domain/contracts/events.js';

/** ms; what a client waits before it reconnects. */
export const RETRY_MS = 2000;

/**
 * One event. The number is an integer and the name one of ours, and JSON has no raw line break outside its strings'
 * escapes except as white space: that is folded, so nothing in the data can end the line.
 */
export function frameText(frame: Frame): string {
  const data = frame.data.replace(/[\r\n]+/g, ' ');
  return `id: ${frame.seq}\nevent: ${frame.event}\ndata: ${data}\n\n`;
}

export const retryText = (ms: number): string => `retry: ${Math.round(ms)}\n\n`;

/** A comment: keeps proxies from closing the connection, and reaches no listener. */
export const HEARTBEAT_TEXT = ': heartbeat\n\n';
