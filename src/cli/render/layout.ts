/** Wrapping and clipping by the columns that text takes on a terminal: wide characters take two, joined ones are kept whole. */
import stringWidth from 'string-width';

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
const ELLIPSIS = '…';
/** Code units looked at for each column of room: bounds the work on text that is mostly joined marks. */
const MAX_UNITS = 16;

/** Columns; ambiguous characters count as one. */
export function columnsOf(text: string): number {
  return stringWidth(text, { countAnsiEscapeCodes: true });
}

/**
 * The lines of a clean text, none wider than `width` columns (a single character wider than that stands alone). Breaks
 * at spaces, and inside a word only where it is wider than a whole line. Line ends in the text are kept.
 */
export function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(line, Math.max(1, width)));
}

function wrapLine(line: string, width: number): string[] {
  const lines: string[] = [];
  let current = '';
  let taken = 0;
  for (const word of line.split(' ').filter((part) => part !== '')) {
    const size = columnsOf(word);
    if (current !== '' && taken + 1 + size <= width) {
      current += ` ${word}`;
      taken += 1 + size;
      continue;
    }
    if (current !== '') lines.push(current);
    const pieces = size <= width ? [word] : breakWord(word, width);
    lines.push(...pieces.slice(0, -1));
    current = pieces.at(-1) ?? '';
    taken = columnsOf(current);
  }
  lines.push(current);
  return lines;
}

function breakWord(word: string, width: number): string[] {
  const pieces: string[] = [];
  let current = '';
  let taken = 0;
  for (const { segment } of GRAPHEMES.segment(word)) {
    const size = columnsOf(segment);
    if (current !== '' && taken + size > width) {
      pieces.push(current);
      current = '';
      taken = 0;
    }
    current += segment;
    taken += size;
  }
  pieces.push(current);
  return pieces;
}

/** The text in at most `width` columns; what was cut off is marked by an ellipsis. */
export function clip(text: string, width: number): string {
  return text.length <= width * MAX_UNITS && columnsOf(text) <= width ? text : cut(text, width);
}

/** At most `lines` lines of `width` columns; an ellipsis at the end of the last one says that there was more. */
export function clipLines(text: string, width: number, lines: number): string[] {
  const bound = width * lines * MAX_UNITS;
  const wrapped = wrap(text.slice(0, bound), width);
  if (wrapped.length <= lines && text.length <= bound) return wrapped;
  const kept = wrapped.slice(0, lines);
  const last = kept.pop() ?? '';
  return [...kept, columnsOf(last) + 2 <= width ? `${last} ${ELLIPSIS}` : cut(last, width)];
}

/** One column is the ellipsis's. */
function cut(text: string, width: number): string {
  let kept = '';
  let taken = 0;
  for (const { segment } of GRAPHEMES.segment(text.slice(0, width * MAX_UNITS))) {
    const size = columnsOf(segment);
    if (taken + size > width - 1) break;
    kept += segment;
    taken += size;
  }
  return `${kept.trimEnd()}${ELLIPSIS}`;
}

/** Each line behind `indent`; the first one behind `first` instead, which must be as wide. */
export function indented(lines: readonly string[], indent: string, first: string = indent): string[] {
  return lines.map((line, index) => `${index === 0 ? first : indent}${line}`.trimEnd());
}
