import { z } from 'zod';
import { Timestamp } from '../ids.js';
import { Window } from '../window.js';
import { Assumptions, ProjectionHead } from './common.js';

export const LOG_LIMIT = { min: 1, max: 100, default: 50 } as const;
export const LOG_LEVELS = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'] as const;
export const LogLevel = z.enum(LOG_LEVELS);
export type LogLevel = z.infer<typeof LogLevel>;

/** `level`, `service`, `template`, `ip`, `status`, `path` or `field:<name>`. */
export const LogGroupBy = z
  .string()
  .regex(/^(level|service|template|ip|status|path|field:[A-Za-z0-9_.@-]{1,64})$/);

/**
 * `from` inclusive, `to` exclusive. `query`: words, all must occur, as case-insensitive substrings; `"a phrase"`,
 * `-excluded`, `/regex/` (linear time). `level`: that level and above. `limit` out of range is clamped, and clips entries
 * only: `matched` and `groups` count every match.
 */
export const LogSearchArgs = z.strictObject({
  from: Timestamp.describe('Start, inclusive, RFC 3339 with offset'),
  to: Timestamp.describe('End, exclusive, RFC 3339 with offset'),
  query: z
    .string()
    .max(1000)
    .optional()
    .describe('Words that must all occur; "a phrase"; -excluded; /regex/'),
  service: z.string().min(1).max(200).optional().describe('Only this service'),
  level: z
    .string()
    .min(1)
    .max(20)
    .optional()
    .describe('This level and above: TRACE, DEBUG, INFO, WARN, ERROR, FATAL'),
  limit: z.number().int().optional().describe('Entries to return, 1–100; 50 if left out'),
  group_by: LogGroupBy.optional().describe(
    'Count all matches by level, service, template, ip, status, path or field:<name>; top 20',
  ),
});
export type LogSearchArgs = z.infer<typeof LogSearchArgs>;

export const LogSearchScope = z.strictObject({
  window: Window,
  query: z.string().nullable(),
  service: z.string().nullable(),
  level: LogLevel.nullable(),
  limit: z.number().int(),
  group_by: z.string().nullable(),
  assumptions: Assumptions,
});
export type LogSearchScope = z.infer<typeof LogSearchScope>;

export const LogEntry = z.strictObject({
  timestamp: z.iso.datetime(),
  service: z.string(),
  level: LogLevel,
  message: z.string(),
  /** File name (relative to the directory) and line: `checkout.log:120`. */
  source: z.string(),
});
export type LogEntry = z.infer<typeof LogEntry>;

export const LogGroup = z.strictObject({ key: z.string(), count: z.number().int().positive() });
export type LogGroup = z.infer<typeof LogGroup>;

export const LogSearchProjection = z
  .strictObject({
    tool: z.literal('log_search'),
    ...ProjectionHead,
    scope: LogSearchScope,
    matched: z.number().int().nonnegative(),
    /** True when entries or groups were left out, or a bound stopped the search before its end. */
    truncated: z.boolean(),
    entries: z.array(LogEntry),
    groups: z.array(LogGroup).optional(),
  })
  .refine((p) => p.matched > 0 === (p.evidence_status === 'EVIDENCE_FOUND'), {
    error: 'evidence_status does not fit matched',
  })
  .refine((p) => p.matched > 0 || (!p.truncated && p.entries.length === 0), {
    error: 'no evidence can only come from a complete search',
  });
export type LogSearchProjection = z.infer<typeof LogSearchProjection>;
