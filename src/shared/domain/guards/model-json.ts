/**
 * The one decoder for all model JSON (contract §4). Outer white space, one leading `<think>…</think>` and one enclosing
 * code fence are removed; then strict JSON, in which a duplicate key is an error, and a strict schema. Nothing else is
 * repaired: a decoder that guesses would let a second verdict, or prose around one, decide.
 */
import type { z } from 'zod';

export type DecodeFailure = 'EMPTY' | 'SYNTAX' | 'DUPLICATE_KEY' | 'SCHEMA';
export type Decoded<T> = { ok: true; value: T } | { ok: false; reason: DecodeFailure; detail: string };

/** Deeper nesting than any schema here has is refused before a schema walks it. */
const MAX_DEPTH = 32;

export function decodeModelJson<T>(text: string, schema: z.ZodType<T>): Decoded<T> {
  const body = stripFence(stripThinking(trimJsonSpace(text)));
  if (body === '') return { ok: false, reason: 'EMPTY', detail: 'there is no text' };
  const parsed = parseStrictJson(body);
  if (!parsed.ok) return parsed;
  const checked = schema.safeParse(parsed.value);
  if (checked.success) return { ok: true, value: checked.data };
  const issue = checked.error.issues[0];
  return {
    ok: false,
    reason: 'SCHEMA',
    detail: `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`.slice(0, 300),
  };
}

/** Strict JSON: one value, no duplicate key at any depth (also after escapes), bounded depth, no `__proto__` key. */
export function parseStrictJson(text: string): Decoded<unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, reason: 'SYNTAX', detail: 'this is not one strict JSON value' };
  }
  const fault = scanKeys(text);
  return fault === null ? { ok: true, value } : { ok: false, ...fault };
}

interface KeyFault {
  reason: DecodeFailure;
  detail: string;
}

/** Walks text that is known to be valid JSON; a frame per open container, an object's frame holds its keys. */
function scanKeys(text: string): KeyFault | null {
  const stack: (Set<string> | null)[] = [];
  let index = 0;
  while (index < text.length) {
    const character = text[index];
    if (character === '"') {
      const end = stringEnd(text, index);
      const keys = stack.at(-1);
      if (keys !== undefined && keys !== null && isKey(text, end)) {
        const fault = addKey(keys, JSON.parse(text.slice(index, end)) as string);
        if (fault !== null) return fault;
      }
      index = end;
      continue;
    }
    if (character === '{') stack.push(new Set());
    else if (character === '[') stack.push(null);
    else if (character === '}' || character === ']') stack.pop();
    if (stack.length > MAX_DEPTH)
      return { reason: 'SCHEMA', detail: `nested deeper than ${MAX_DEPTH} levels` };
    index += 1;
  }
  return null;
}

function addKey(keys: Set<string>, key: string): KeyFault | null {
  if (keys.has(key)) return { reason: 'DUPLICATE_KEY', detail: 'a key stands twice in one object' };
  if (key === '__proto__') return { reason: 'SCHEMA', detail: 'the key __proto__ is not allowed' };
  keys.add(key);
  return null;
}

/** The index after the closing quote of the string that begins at `start`. */
function stringEnd(text: string, start: number): number {
  let index = start + 1;
  while (text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return index + 1;
}

/** A string is a key when the next thing after it is a colon. */
function isKey(text: string, from: number): boolean {
  let index = from;
  while (isJsonSpace(text[index])) index += 1;
  return text[index] === ':';
}

function isJsonSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\n' || character === '\r' || character === '\t';
}

function trimJsonSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isJsonSpace(text[start])) start += 1;
  while (end > start && isJsonSpace(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function stripThinking(text: string): string {
  const open = '<think>';
  const close = '</think>';
  if (!text.startsWith(open)) return text;
  const end = text.indexOf(close);
  return end === -1 ? text : trimJsonSpace(text.slice(end + close.length));
}

/** One fence that encloses everything: ```` ``` ```` or ```` ```json ```` on a line of its own, and a closing one. */
function stripFence(text: string): string {
  if (!text.startsWith('```') || !text.endsWith('```') || text.length < 6) return text;
  const lineEnd = text.indexOf('\n');
  if (lineEnd === -1 || !/^```[A-Za-z]{0,16}\r?$/.test(text.slice(0, lineEnd))) return text;
  return trimJsonSpace(text.slice(lineEnd + 1, -3));
}
