/** The `wait` preference of RFC 7240: whole seconds that the caller would wait for the end. */

/** Longer waits are clamped to this. */
export const MAX_WAIT_S = 120;

/** Seconds, 0 … {@link MAX_WAIT_S}; null without the preference, or when it is not a whole number (RFC 7240 §2: ignored). */
export function preferredWait(header: string): number | null {
  for (const preference of header.split(',')) {
    const [name, value] = (preference.split(';', 1)[0] ?? '').split('=', 2).map((part) => part.trim());
    if (name?.toLowerCase() !== 'wait') continue;
    // The first one counts when a preference is given twice.
    const digits = /^"?(\d{1,9})"?$/.exec(value ?? '')?.[1];
    return digits === undefined ? null : Math.min(Number(digits), MAX_WAIT_S);
  }
  return null;
}
