/** RFC 9457 problem details; `code` is stable, and the only part that a program should read. */
import { z } from 'zod';

/** Each code with its HTTP status and title. */
export const PROBLEMS = {
  INVALID_REQUEST: [400, 'The request is not valid'],
  UNAUTHENTICATED: [401, 'A valid token is needed'],
  FORBIDDEN: [403, 'This token may not do that'],
  NOT_FOUND: [404, 'There is no such thing'],
  RUN_NOT_IN_SESSION: [404, 'The Run does not belong to this session'],
  METHOD_NOT_ALLOWED: [405, 'This path does not answer to that method'],
  RUN_FINISHED: [409, 'The Run has already ended'],
  RUN_NOT_FINISHED: [409, 'The Run has not ended yet'],
  TOO_LARGE: [413, 'The request is too large'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'The media type is not supported'],
  IDEMPOTENCY_MISMATCH: [422, 'The idempotency key was used with another body'],
  RATE_LIMITED: [429, 'Too many Runs were started in the last minute'],
  INTERNAL: [500, 'Something went wrong here'],
  QUEUE_FULL: [503, 'Too many Runs are waiting'],
  UNAVAILABLE: [503, 'A store is out of reach'],
} as const satisfies Record<string, readonly [number, string]>;

export type ProblemCode = keyof typeof PROBLEMS;

export const Problem = z.object({
  type: z.literal('about:blank'),
  status: z.number().int(),
  title: z.string(),
  detail: z.string(),
  code: z.string(),
  /** INVALID_REQUEST only: each fault with the path of the field, e.g. `window.from`. */
  errors: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
});
export type Problem = z.infer<typeof Problem>;
