/** Reads one `text/event-stream` body (WHATWG HTML §9.2), with a bound on what is kept of an unfinished event. */
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { ClientFault } from './client-fault.js';

/** A report is the largest event; a server stays well below this. In characters. */
export const MAX_EVENT_CHARACTERS = 8 * 1024 * 1024;

export interface SseOptions {
  /** After each chunk, comments included: the other side lives. */
  onActivity?: () => void;
  /** The server's wish for the pause before a reconnect, in ms. */
  onRetry?: (ms: number) => void;
}

/**
 * The events in order, until the body ends; it is cancelled when the reader stops early.
 * @throws {ClientFault} UNEXPECTED_ANSWER when an event is larger than the bound.
 */
export async function* sseEvents(
  body: ReadableStream<Uint8Array>,
  options: SseOptions = {},
): AsyncGenerator<EventSourceMessage, void, undefined> {
  const ready: EventSourceMessage[] = [];
  const overflow = { met: false };
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARACTERS,
    onEvent: (event) => ready.push(event),
    onRetry: options.onRetry,
    onError: (error) => {
      overflow.met ||= error.type === 'max-buffer-size-exceeded';
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    options.onActivity?.();
    parser.feed(decoder.decode(chunk, { stream: true }));
    yield* ready.splice(0);
    if (overflow.met)
      throw new ClientFault('UNEXPECTED_ANSWER', 'the server sent an event that is too large to read');
  }
}
