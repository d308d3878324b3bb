/** What a stage that answers in JSON reads of a model's reply: only a whole, willing, non-empty answer counts. */
import type { z } from 'zod';
import { decodeModelJson } from './model-json.js';
import { utf8ByteLength } from './utf8-length.js';

export interface StageReply {
  content: string;
  finishReason: string;
  refused: boolean;
  toolCalls: readonly unknown[];
}

export type ReplyFailure =
  'EMPTY' | 'FINISH_REASON' | 'REFUSED' | 'TOOL_CALLS' | 'TOO_LARGE' | 'PARSE' | 'SCHEMA';

export type ReadReply<T> = { ok: true; value: T } | { ok: false; failure: ReplyFailure };

/** Fails closed: `finish_reason: stop`, no refusal, no tool calls, not empty, within `maxBytes`, strict JSON, strict schema. */
export function readReply<T>(reply: StageReply, schema: z.ZodType<T>, maxBytes: number): ReadReply<T> {
  if (reply.refused) return { ok: false, failure: 'REFUSED' };
  if (reply.toolCalls.length > 0) return { ok: false, failure: 'TOOL_CALLS' };
  if (reply.finishReason !== 'stop') return { ok: false, failure: 'FINISH_REASON' };
  if (reply.content.trim() === '') return { ok: false, failure: 'EMPTY' };
  if (utf8ByteLength(reply.content) > maxBytes) return { ok: false, failure: 'TOO_LARGE' };
  const decoded = decodeModelJson(reply.content, schema);
  if (decoded.ok) return { ok: true, value: decoded.value };
  switch (decoded.reason) {
    case 'EMPTY':
      return { ok: false, failure: 'EMPTY' };
    case 'SYNTAX':
    case 'DUPLICATE_KEY':
      return { ok: false, failure: 'PARSE' };
    case 'SCHEMA':
      return { ok: false, failure: 'SCHEMA' };
  }
}
