/** `key=value` text: how structured fields are shown, and how logfmt is read. Pure. */

const PAIR = /([A-Za-z_@][\w.@/-]*)=(?:"((?:[^"\\]|\\.)*)"|([^\s"]*))/g;
const MAX_PAIRS = 256;

/** A field's value as text; objects and arrays as JSON. Undefined for nothing, and for nesting too deep to write. */
export function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value === undefined || value === null) return undefined;
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return '[nested too deeply]';
    throw error;
  }
}

/** Quotes only what would not read back as one value. */
export function renderPairs(entries: readonly (readonly [string, unknown])[]): string {
  return entries
    .slice(0, MAX_PAIRS)
    .map(([name, value]) => {
      const shown = scalarText(value) ?? '';
      return `${name}=${typeof value === 'string' && /[\s"=]|^$/.test(shown) ? JSON.stringify(shown) : shown}`;
    })
    .join(' ');
}

/** The pairs of a logfmt line, the first of a name wins. */
export function readPairs(line: string): Map<string, string> {
  const pairs = new Map<string, string>();
  for (const match of line.matchAll(PAIR)) {
    const name = match[1] ?? '';
    if (pairs.has(name)) continue;
    pairs.set(name, match[2]?.replace(/\\(.)/g, (_, c: string) => ESCAPES.get(c) ?? c) ?? match[3] ?? '');
    if (pairs.size >= MAX_PAIRS) break;
  }
  return pairs;
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
]);
