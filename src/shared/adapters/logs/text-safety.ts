/** Log text made fit to be shown, kept and counted. Pure. */

const ESCAPE = String.fromCharCode(27);
const BELL = String.fromCharCode(7);
/** Colour and cursor sequences of terminals (ECMA-48 CSI and OSC). */
const TERMINAL_SEQUENCE = new RegExp(
  `${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${BELL}${ESCAPE}]{0,256}(?:${BELL}|${ESCAPE}\\\\))`,
  'g',
);
/**
 * Controls but tab and newline; direction overrides and invisible marks, but not the joiners that words and emoji are
 * made with; line separators.
 */
const UNSEEN = /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\u2028\u2029]/gu;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

export function stripTerminalSequences(text: string): string {
  return text.includes(ESCAPE) ? text.replace(TERMINAL_SEQUENCE, '') : text;
}

/** Characters that would not be seen, or would change how the rest is seen, become `\u{hex}`; lone surrogates U+FFFD. */
export function showUnseen(text: string): string {
  return text
    .replace(UNSEEN, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)
    .replace(LONE_SURROGATE, '\ufffd');
}

/** At most `max` UTF-16 units of the text, with a mark that says how many are missing; pairs are not cut. */
export function clip(text: string, max: number, missing = 0): string {
  if (text.length <= max && missing === 0) return text;
  const cut = Math.min(max, text.length);
  const code = text.charCodeAt(cut - 1);
  const end = cut > 0 && code >= 0xd800 && code <= 0xdbff ? cut - 1 : cut;
  return `${text.slice(0, end)}… [clipped ${String(text.length - end + missing)} characters]`;
}

/** A copy of the text alone: a slice of a string keeps the whole of it in memory. */
export function detach(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}
