/** A line of a generated log, and the forms of time that the four services write. */

export interface LogLine {
  /** When it is written, ms since the epoch. */
  at: number;
  text: string;
}

export function isoTime(at: number): string {
  return new Date(at).toISOString();
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** `02/Jan/2006:15:04:05 +0000`, as web servers write it. */
export function accessTime(at: number): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${two(date.getUTCDate())}/${MONTHS[date.getUTCMonth()] ?? ''}/${date.getUTCFullYear()}`;
  return `${day}:${date.toISOString().slice(11, 19)} +0000`;
}
