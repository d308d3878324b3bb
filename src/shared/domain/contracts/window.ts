/** The one incident window of a Run: absolute, UTC, `from` inclusive, `to` exclusive. */
import { z } from 'zod';
import { Timestamp, UtcTimestamp } from './ids.js';

export const MAX_WINDOW_DAYS = 366;
const MAX_WINDOW_MS = MAX_WINDOW_DAYS * 24 * 60 * 60 * 1000;

/** A window as a caller writes it: any offset; normalised to UTC by {@link normaliseWindow}. */
export const WindowInput = z
  .strictObject({ from: Timestamp, to: Timestamp })
  .refine((w) => Date.parse(w.from) < Date.parse(w.to), { error: 'from must be before to', path: ['from'] })
  .refine((w) => Date.parse(w.to) - Date.parse(w.from) <= MAX_WINDOW_MS, {
    error: `the window may span at most ${MAX_WINDOW_DAYS} days`,
    path: ['to'],
  });
export type WindowInput = z.infer<typeof WindowInput>;

export const Window = z.strictObject({ from: UtcTimestamp, to: UtcTimestamp });
export type Window = z.infer<typeof Window>;

export function normaliseWindow(input: { from: string; to: string }): Window {
  return { from: new Date(input.from).toISOString(), to: new Date(input.to).toISOString() };
}

/** True when `inner` reaches outside `outer`. */
export function reachesOutside(inner: Window, outer: Window): boolean {
  return Date.parse(inner.from) < Date.parse(outer.from) || Date.parse(inner.to) > Date.parse(outer.to);
}
