/** What an agent's reply without tool calls is: a Draft, or an invalid one (RP-9), of which nothing is used. */
import type { z } from 'zod';
import { readReply, type ReplyFailure, type StageReply } from './reply.js';

/** The largest Draft that is read, in UTF-8 bytes. */
export const DRAFT_MAX_BYTES = 131_072;

export type ReadDraft<T> = { ok: true; draft: T } | { ok: false; failure: ReplyFailure };

export function readDraft<T>(reply: StageReply, schema: z.ZodType<T>): ReadDraft<T> {
  const read = readReply(reply, schema, DRAFT_MAX_BYTES);
  return read.ok ? { ok: true, draft: read.value } : read;
}
