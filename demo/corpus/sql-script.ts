/**
 * Splits an SQL script as the server's own command line client does: statements end at the delimiter, which a line
 * `DELIMITER x` changes, and which counts for nothing inside strings, quoted names and comments. Pure.
 */

/** The script cannot be split: something in it does not end. */
export class SqlScriptFault extends Error {
  override readonly name = 'SqlScriptFault';
}

const DELIMITER_LINE = /[ \t]*delimiter[ \t]+(\S+)[^\n]*(?:\n|$)/iy;
const MAX_DELIMITER = 16;

/** Statements without their delimiter; white space and plain comments alone are none, executable comments are. */
export function* sqlStatements(script: string): Generator<string, void, undefined> {
  let delimiter = ';';
  let at = 0;
  while (at < script.length) {
    at = skipBlank(script, at);
    const changed = delimiterLine(script, at);
    if (changed !== null) {
      ({ delimiter, end: at } = changed);
      continue;
    }
    const end = statementEnd(script, at, delimiter);
    const statement = script.slice(at, end).trim();
    if (statement !== '') yield statement;
    at = end + delimiter.length;
  }
}

function delimiterLine(script: string, at: number): { delimiter: string; end: number } | null {
  if (
    at > 0 &&
    script[at - 1] !== '\n' &&
    script.slice(script.lastIndexOf('\n', at - 1) + 1, at).trim() !== ''
  )
    return null;
  DELIMITER_LINE.lastIndex = at;
  const match = DELIMITER_LINE.exec(script);
  const delimiter = match?.[1];
  if (delimiter === undefined) return null;
  if (delimiter.length > MAX_DELIMITER || /['"`\\]/.test(delimiter))
    throw new SqlScriptFault('a DELIMITER line names something that cannot be a delimiter');
  return { delimiter, end: DELIMITER_LINE.lastIndex };
}

/** Past white space and comments that no server runs. */
function skipBlank(script: string, from: number): number {
  let at = from;
  for (;;) {
    while (at < script.length && /\s/.test(script.charAt(at))) at += 1;
    const end = isExecutable(script, at) ? at : skipComment(script, at);
    if (end === at) return at;
    at = end;
  }
}

function isExecutable(script: string, at: number): boolean {
  return script.startsWith('/*!', at) || script.startsWith('/*M!', at);
}

/** The end of the comment that begins at `at`; `at` itself when none does. */
function skipComment(script: string, at: number): number {
  const dashes = script.startsWith('--', at) && (at + 2 >= script.length || /\s/.test(script.charAt(at + 2)));
  if (dashes || script[at] === '#') {
    const end = script.indexOf('\n', at);
    return end < 0 ? script.length : end;
  }
  if (!script.startsWith('/*', at)) return at;
  const end = script.indexOf('*/', at + 2);
  if (end < 0) throw new SqlScriptFault('a comment does not end');
  return end + 2;
}

/** The index of the delimiter that ends the statement, or the script's end. */
function statementEnd(script: string, from: number, delimiter: string): number {
  const stop = new RegExp(`${delimiter.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')}|['"\`#]|--|/\\*`, 'g');
  stop.lastIndex = from;
  for (let match = stop.exec(script); match !== null; match = stop.exec(script)) {
    const [found] = match;
    if (found === delimiter) return match.index;
    const next = /^['"`]$/.test(found)
      ? quotedEnd(script, match.index, found)
      : Math.max(skipComment(script, match.index), match.index + 1);
    stop.lastIndex = next;
  }
  return script.length;
}

/** A doubled quote stays inside; a backslash escapes in strings, not in quoted names. */
function quotedEnd(script: string, from: number, quote: string): number {
  for (let at = from + 1; at < script.length; at += 1) {
    const character = script[at];
    if (character === '\\' && quote !== '`') at += 1;
    else if (character === quote) {
      if (script[at + 1] !== quote) return at + 1;
      at += 1;
    }
  }
  throw new SqlScriptFault('a string or a quoted name does not end');
}
