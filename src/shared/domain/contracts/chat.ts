/** Requests and answers of the Run routes. */
import { z } from 'zod';
import { SessionId } from './ids.js';
import { RunStatus, Visibility } from './run.js';
import { WindowInput } from './window.js';

export const MAX_QUERY_CHARACTERS = 8000;

export const OnDisconnect = z.enum(['cancel', 'continue']);
export type OnDisconnect = z.infer<typeof OnDisconnect>;

export const ChatRequest = z.strictObject({
  query: z
    .string()
    .max(MAX_QUERY_CHARACTERS, `at most ${MAX_QUERY_CHARACTERS} characters`)
    .refine((q) => q.trim() !== '', { error: 'must not be empty' }),
  sessionId: SessionId.optional(),
  window: WindowInput.optional(),
  visibility: Visibility.optional(),
  onDisconnect: OnDisconnect.optional(),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

export const ChatAccepted = z.strictObject({
  sessionId: z.string(),
  runId: z.string(),
  status: RunStatus,
  links: z.strictObject({ run: z.string(), events: z.string(), trace: z.string(), cancel: z.string() }),
});
export type ChatAccepted = z.infer<typeof ChatAccepted>;
