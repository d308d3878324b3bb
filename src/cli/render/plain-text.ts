/**
 * Text from outside made safe for a terminal: log lines, rows and model words may hold escape sequences that recolour,
 * retitle or rewrite what stands on the screen, and bidi controls that show it in another order (CVE-2021-42574).
 * What a terminal would show stays; only what it would obey goes.
 */
const ESC = '\u001b';
const BEL = '\u0007';
/** ECMA-48 §5.4: control sequences, seven-bit and eight-bit. Bounded, so that hostile text costs linear time. */
const CONTROL_SEQUENCE = new RegExp(`(?:${ESC}\\[|\u009b)[0-?]{0,64}[ -/]{0,16}[@-~]`, 'g');
/** ECMA-48 §5.6: command strings (OSC, DCS, SOS, PM, APC) with their end on the same line; without it they stay as text. */
const COMMAND_STRING = new RegExp(
  `(?:${ESC}[\\]PX^_]|[\u0090\u0098\u009d-\u009f])[^${BEL}${ESC}\u009c\n\r]{0,1024}(?:${BEL}|${ESC}\\\\|\u009c)`,
  'g',
);
/** ECMA-35: escape sequences with intermediate bytes, such as the choice of a character set. */
const ESCAPE_SEQUENCE = new RegExp(`${ESC}[ -/]{1,8}[0-~]`, 'g');
const LINE_END = /\r\n?|[\u2028\u2029\u0085]/g;
/** Bidi controls, and characters that show nothing; joiners stay, since emoji and several scripts need them. */
const INVISIBLE =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** Several lines: line ends become `\n`, tabs a space; every other control character is gone. */
export function cleanText(text: string): string {
  return text
    .replace(COMMAND_STRING, '')
    .replace(CONTROL_SEQUENCE, '')
    .replace(ESCAPE_SEQUENCE, '')
    .replace(LINE_END, '\n')
    .replace(INVISIBLE, '')
    .replace(/\t/g, ' ')
    .replace(/(?!\n)\p{Cc}/gu, '');
}

/** One line: every run of white space is a single space. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ').trim();
}
