/** The parts that every rendering of a Run is put together from. Each gives lines without line ends. */
import { indented, wrap } from './layout.js';
import { cleanText } from './plain-text.js';
import type { View } from './palette.js';

export const INDENT = '  ';

/** A blank line, the title, and the lines under it; nothing at all when there are none. */
export function section(title: string, lines: readonly string[], view: View): string[] {
  if (lines.length === 0) return [];
  return ['', ...wrap(title, view.width).map((line) => view.palette.bold(line)), ...lines];
}

/** Text from outside, wrapped under a mark such as `- `; every line is indented once more than the mark. */
export function item(
  mark: string,
  text: string,
  view: View,
  paint = (line: string): string => line,
): string[] {
  const head = `${INDENT}${mark}`;
  const lines = wrap(cleanText(text), view.width - head.length);
  return indented(
    lines.map((line) => (line === '' ? line : paint(line))),
    ' '.repeat(head.length),
    head,
  );
}

export function items(texts: readonly string[], view: View): string[] {
  return texts.flatMap((text) => item('- ', text, view));
}

/** ` [A1, A2]`, empty without IDs. */
export function references(ids: readonly string[]): string {
  return ids.length === 0 ? '' : ` [${ids.join(', ')}]`;
}
