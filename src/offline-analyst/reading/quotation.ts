/** Exact pieces of evidence for use inside a sentence. */

const MARKS = [
  ['"', '"'],
  ['“', '”'],
  ['«', '»'],
] as const;

/**
 * The beginning of `text`, at most `max` characters, cut at a space, in quotation marks that it does not hold itself; null
 * when there is nothing to quote. What stands between the marks is an exact part of `text`'s first line.
 */
export function quote(text: string, max = 160): string | null {
  const line = firstLine(text);
  const clipped = clip(line, max);
  if (clipped === '') return null;
  const marks = MARKS.find(([open, close]) => !clipped.includes(open) && !clipped.includes(close));
  return marks === undefined ? null : `${marks[0]}${clipped}${marks[1]}`;
}

/**
 * The sentence of a log message: what stands before its trailing `name=value` fields, where that says enough by itself. An
 * exact beginning of the message.
 */
export function sentenceOf(message: string): string {
  const fields = /\s+[A-Za-z_][\w.]*=/.exec(message);
  return fields === null || fields.index < MIN_SENTENCE ? message : message.slice(0, fields.index);
}

const MIN_SENTENCE = 12;

function firstLine(text: string): string {
  return text.trim().split(/\r?\n/, 1)[0] ?? '';
}

function clip(line: string, max: number): string {
  if (line.length <= max) return line.trim();
  const head = line.slice(0, max + 1);
  const space = head.lastIndexOf(' ');
  // A line without a space has no place where cutting keeps its values whole.
  return space <= 0 ? '' : head.slice(0, space).trim();
}
