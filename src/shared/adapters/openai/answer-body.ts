/**
 * Reads the body of an answer under a status of success, bounded in memory. What it is shows in its first character: an
 * endpoint that was asked to stream may answer with one JSON document and the other way round, and a wrong address often
 * answers with a web page. The package's own stream is not used: it keeps an event of any length, writes events that it
 * cannot read to the console, and ends in the same way on abort, on truncation and on the end.
 */
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { CallClock } from './call-clock.js';
import type { ReplyAccumulator } from './reply-accumulator.js';

/** `completion`: the accumulator has it; the others are no answer of a chat-completions endpoint. */
export type BodyKind = 'completion' | 'page' | 'empty' | 'other';

/** A body that takes text until it has enough. */
interface Form {
  feed(text: string): void;
  end(): BodyKind;
}

/** Room on the wire for what is not kept: reasoning, names of fields. */
const WIRE_ALLOWANCE = 4 * 1024 * 1024;
/** JSON may write one byte as six characters. */
const ESCAPED = 6;

export interface Answering {
  contentType: string;
  body: ReadableStream<Uint8Array> | null;
}

/** Rejects when the connection breaks. Reads no further once the accumulator has a fault. */
export async function readAnswer(
  answering: Answering,
  accumulator: ReplyAccumulator,
  clock: CallClock,
  maxOutputBytes: number,
): Promise<BodyKind> {
  const maxLength = maxOutputBytes * ESCAPED + WIRE_ALLOWANCE;
  const isEventStream = answering.contentType.includes('event-stream');
  const begin = (first: string): Form => {
    if (first.startsWith('{') || first.startsWith('[')) return jsonForm(accumulator, maxLength);
    if (first.startsWith('<')) return { feed: () => undefined, end: () => 'page' };
    return eventForm(accumulator, clock, maxLength, isEventStream);
  };
  let form: Form | null = null;
  await eachText(answering.body, (text) => {
    clock.bytes();
    const fed = form === null ? text.trimStart() : text;
    if (fed === '') return true;
    form ??= begin(fed);
    form.feed(fed);
    return !accumulator.isFaulty;
  });
  const read = form as Form | null;
  return read === null ? (isEventStream ? 'completion' : 'empty') : read.end();
}

/** @param take false: enough; the rest is not read, and the connection is closed. */
async function eachText(
  body: ReadableStream<Uint8Array> | null,
  take: (text: string) => boolean,
): Promise<void> {
  const reader = body?.getReader();
  if (reader === undefined) return;
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || !take(decoder.decode(value, { stream: true }))) return;
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

function jsonForm(accumulator: ReplyAccumulator, maxLength: number): Form {
  const parts: string[] = [];
  let length = 0;
  return {
    feed: (text) => {
      length += text.length;
      if (length > maxLength) accumulator.fail('the answer is too long');
      else parts.push(text);
    },
    end: () => {
      const parsed = parseJson(parts.join(''));
      if (parsed.ok) accumulator.addWhole(parsed.value);
      else accumulator.fail('the answer is no whole JSON');
      return 'completion';
    },
  };
}

function eventForm(
  accumulator: ReplyAccumulator,
  clock: CallClock,
  maxLength: number,
  isEventStream: boolean,
): Form {
  let events = 0;
  const parser = createParser({
    maxBufferSize: maxLength,
    onEvent: (event) => {
      events += 1;
      takeEvent(event, accumulator, clock);
    },
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') accumulator.fail('the answer is too long');
    },
  });
  return {
    feed: (text) => parser.feed(text),
    end: () => {
      // The blank line after the last event may be missing.
      if (!accumulator.isFaulty) parser.feed('\n\n');
      return events > 0 || isEventStream ? 'completion' : 'other';
    },
  };
}

function takeEvent(event: EventSourceMessage, accumulator: ReplyAccumulator, clock: CallClock): void {
  if (event.data.startsWith('[DONE]')) {
    clock.done();
    return;
  }
  clock.chunk();
  const parsed = parseJson(event.data);
  if (event.event === 'error') accumulator.fail('an error came under a status of success');
  else if (parsed.ok) accumulator.addChunk(parsed.value);
  else accumulator.fail('an event of the answer is no JSON');
  if (accumulator.isWhole) clock.whole();
}

function parseJson(text: string): { ok: true; value: unknown } | { ok: false } {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false };
  }
}
