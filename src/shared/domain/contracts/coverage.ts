import { z } from 'zod';
import { CoverageState } from './invocation.js';
import { LogLevel } from './tools/log-search.js';
import { Window } from './window.js';

/**
 * A scope cut to its typed fields: what may be shown before release and in a fallback (SE-1), because a scope's free
 * text (query, SQL) was written by the model. `service` and `database` only when the backend itself lists the name.
 */
export const TypedScope = z.strictObject({
  window: Window.optional(),
  level: LogLevel.optional(),
  limit: z.number().int().optional(),
  top_k: z.number().int().optional(),
  service: z.string().optional(),
  database: z.string().optional(),
});
export type TypedScope = z.infer<typeof TypedScope>;

/** Made by the harness from the invocations, never by the model. */
export const CoverageItem = z.strictObject({
  tool: z.string(),
  scope: z.union([TypedScope, z.record(z.string(), z.unknown())]),
  state: CoverageState,
  outsideWindow: z.literal(true).optional(),
});
export type CoverageItem = z.infer<typeof CoverageItem>;
