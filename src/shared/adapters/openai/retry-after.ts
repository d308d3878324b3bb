/** `Retry-After` in seconds or as a date (RFC 9110 §10.2.3), and `retry-after-ms`, which some endpoints send beside it. Pure. */
const MAX_RETRY_AFTER_MS = 10 * 60 * 1000;

/**
 * @param header gives a header's value, null where there is none.
 * @param nowMs milliseconds since the epoch.
 * @returns milliseconds from now, at most ten minutes; null when the endpoint did not say or what it said is no time.
 */
export function retryAfterMs(header: (name: string) => string | null, nowMs: number): number | null {
  const exact = header('retry-after-ms')?.trim() ?? '';
  if (isNumber(exact)) return bounded(Number(exact));
  const text = header('retry-after')?.trim() ?? '';
  if (isNumber(text)) return bounded(Number(text) * 1000);
  // A date begins with its weekday; Date.parse would take much else for one.
  const date = /^[A-Za-z]{3,9},/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : bounded(date - nowMs);
}

function isNumber(text: string): boolean {
  return /^\d{1,12}(\.\d{1,6})?$/.test(text);
}

function bounded(ms: number): number {
  return Math.ceil(Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS));
}
