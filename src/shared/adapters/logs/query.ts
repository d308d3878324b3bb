/**
 * The query language of log_search. Pure.
 *
 * Words, all of which must occur, as case-insensitive substrings of the whole entry; `"a phrase"` (with `\"` and `\\`);
 * `-excluded`, also before a phrase or a pattern; `/pattern/` and `/pattern/i` by a linear-time engine (RE2 syntax, case
 * counts without the `i`). A pattern ends at the first `/` that white space or the end follows; a word that begins with
 * `/` and is never closed so, such as `/api/orders`, is a word.
 */
import { RE2JS, RE2JSException } from 're2js';

/** The engine's time is text length × program size; repetitions make a program large. */
const MAX_PROGRAM = 250;

export interface QueryTerm {
  /** As it was written, without the minus. */
  written: string;
  excluded: boolean;
  kind: 'words' | 'pattern';
  test(text: string): boolean;
  /** The pattern speaks of the beginning of a line, so that it is tried on the message alone too. */
  anchored: boolean;
}

export interface Query {
  terms: readonly QueryTerm[];
  /** How something was read that could have been meant otherwise. */
  remarks: readonly string[];
}

export type QueryResult = { ok: true; query: Query } | { ok: false; message: string };

interface Token {
  excluded: boolean;
  kind: 'word' | 'phrase' | 'pattern';
  text: string;
  flags: string;
}

type Scan = { ok: true; token: Token; next: number } | { ok: false; message: string };

const SPACE = /\s/;

/** The position of the slash that closes a pattern opened at `start`, or -1. */
function closingSlash(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at += 1) {
    const char = source.charAt(at);
    if (char === '\\') at += 1;
    else if (char === '/' && at > start + 1 && /^\/i?(?:\s|$)/.test(source.slice(at, at + 3))) return at;
  }
  return -1;
}

function scanPhrase(source: string, start: number, excluded: boolean): Scan {
  let text = '';
  for (let at = start + 1; at < source.length; at += 1) {
    const char = source.charAt(at);
    const following = source.charAt(at + 1);
    if (char === '\\' && (following === '"' || following === '\\')) {
      text += following;
      at += 1;
    } else if (char === '"') {
      return { ok: true, token: { excluded, kind: 'phrase', text, flags: '' }, next: at + 1 };
    } else {
      text += char;
    }
  }
  return {
    ok: false,
    message: 'query: a phrase was opened with " and not closed; close it, or write \\" inside a phrase',
  };
}

function scanToken(source: string, start: number): Scan {
  const excluded = source.charAt(start) === '-' && /\S/.test(source.charAt(start + 1));
  const at = excluded ? start + 1 : start;
  if (source.charAt(at) === '"') return scanPhrase(source, at, excluded);
  const close = source.charAt(at) === '/' ? closingSlash(source, at) : -1;
  if (close > 0) {
    const flags = source.charAt(close + 1) === 'i' ? 'i' : '';
    const token: Token = { excluded, kind: 'pattern', text: source.slice(at + 1, close), flags };
    return { ok: true, token, next: close + 1 + flags.length };
  }
  let end = at;
  while (end < source.length && !SPACE.test(source.charAt(end))) end += 1;
  return { ok: true, token: { excluded, kind: 'word', text: source.slice(at, end), flags: '' }, next: end };
}

function substringTerm(token: Token): QueryTerm {
  const literal = new RegExp(token.text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'), 'i');
  return {
    written: token.text,
    excluded: token.excluded,
    kind: 'words',
    test: (text) => literal.test(text),
    anchored: false,
  };
}

function patternTerm(token: Token): QueryTerm | string {
  const written = `/${token.text}/${token.flags}`;
  try {
    const flags = RE2JS.MULTILINE | (token.flags === 'i' ? RE2JS.CASE_INSENSITIVE : 0);
    const pattern = RE2JS.compile(token.text, flags);
    if (pattern.programSize() > MAX_PROGRAM)
      return `query: the pattern ${written} is too large; write fewer repetitions`;
    return {
      written,
      excluded: token.excluded,
      kind: 'pattern',
      test: (text) => pattern.matcher(text).find(),
      anchored: token.text.includes('^') || token.text.includes('\\A'),
    };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return `query: ${written} is not a valid pattern (RE2 syntax: no look-around, no back-references); for plain text use "…"`;
  }
}

function remarksOn(tokens: readonly Token[]): string[] {
  const remarks: string[] = [];
  const operator = tokens.find(
    (t) => t.kind === 'word' && !t.excluded && /^(?:OR|AND|NOT|\|\|?|&&)$/.test(t.text),
  );
  if (operator) {
    remarks.push(
      `${operator.text} in the query was searched as a word like any other; alternatives are written /a|b/`,
    );
  }
  const spanning = tokens.find((t) => t.kind === 'pattern' && SPACE.test(t.text));
  if (spanning) remarks.push(`/${spanning.text}/ in the query was read as one pattern`);
  return remarks;
}

export function parseQuery(source: string): QueryResult {
  const tokens: Token[] = [];
  for (let at = 0; at < source.length;) {
    if (SPACE.test(source.charAt(at))) {
      at += 1;
      continue;
    }
    const scanned = scanToken(source, at);
    if (!scanned.ok) return scanned;
    if (scanned.token.text !== '') tokens.push(scanned.token);
    at = scanned.next;
  }
  const terms: QueryTerm[] = [];
  for (const token of tokens) {
    const term = token.kind === 'pattern' ? patternTerm(token) : substringTerm(token);
    if (typeof term === 'string') return { ok: false, message: term };
    terms.push(term);
  }
  // Substrings decide most entries and cost the least: patterns come last.
  terms.sort((a, b) => Number(a.kind === 'pattern') - Number(b.kind === 'pattern'));
  return { ok: true, query: { terms, remarks: remarksOn(tokens) } };
}

/** What a query looks at in one entry. */
export interface QuerySubject {
  /** The entry's lines as they stand in the file. */
  raw: string;
  /** The file's base name, which is part of the line where the record names no service. */
  name: string;
  nameIsService(): boolean;
  /** The message as it is shown: escapes of the raw line are resolved in it. */
  message(): string;
}

/** Whether a term occurs in an entry. Asks for the record's parts, which cost something, only when they can change the answer. */
export function occurs(term: QueryTerm, subject: QuerySubject): boolean {
  if (term.test(subject.raw)) return true;
  if (term.test(subject.name) && subject.nameIsService()) return true;
  return (term.anchored || subject.raw.includes('\\')) && term.test(subject.message());
}

export function matchesQuery(query: Query, subject: QuerySubject): boolean {
  return query.terms.every((term) => occurs(term, subject) !== term.excluded);
}
