import { z } from 'zod';
import { UtcTimestamp } from '../ids.js';
import { Assumptions, ProjectionHead } from './common.js';

export const SQL_LIMIT = { min: 1, max: 200, default: 50 } as const;

export const MysqlQueryArgs = z.strictObject({
  sql: z.string().trim().min(1).max(10_000).describe('One read statement'),
  database: z.string().min(1).max(64).optional().describe('Schema to run in; the default one if left out'),
  limit: z.number().int().optional().describe('Rows to return, 1–200; 50 if left out'),
});
export type MysqlQueryArgs = z.infer<typeof MysqlQueryArgs>;

export const MysqlQueryScope = z.strictObject({
  database: z.string(),
  /** The statement as it ran: one line of white space, comments removed. */
  sql: z.string(),
  limit: z.number().int(),
  assumptions: Assumptions,
});
export type MysqlQueryScope = z.infer<typeof MysqlQueryScope>;

/** BIGINT and DECIMAL come as strings; dates as RFC 3339 UTC; binary as `0x…`. */
export const SqlValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);
export type SqlValue = z.infer<typeof SqlValue>;

export const MysqlQueryProjection = z
  .strictObject({
    tool: z.literal('mysql_query'),
    ...ProjectionHead,
    scope: MysqlQueryScope,
    columns: z.array(z.string()),
    rows: z.array(z.array(SqlValue)),
    /** Rows in `rows`. */
    row_count: z.number().int().nonnegative(),
    /** True when more rows exist than are shown. */
    truncated: z.boolean(),
    executed_at: UtcTimestamp,
  })
  .refine((p) => p.row_count === p.rows.length && p.rows.every((r) => r.length === p.columns.length), {
    error: 'rows do not fit columns or row_count',
  })
  .refine((p) => p.row_count > 0 === (p.evidence_status === 'EVIDENCE_FOUND'), {
    error: 'evidence_status does not fit the rows',
  })
  .refine((p) => p.row_count > 0 || !p.truncated, {
    error: 'no evidence can only come from a complete result',
  });
export type MysqlQueryProjection = z.infer<typeof MysqlQueryProjection>;
