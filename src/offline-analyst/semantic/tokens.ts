/**
 * A sentence as a reader checks it: values, names, plain words and the breaks between clauses. This reading is the
 * judge's own; it shares nothing with what writes Drafts. Pure.
 */

type TokenKind = 'quote' | 'time' | 'number' | 'name' | 'word' | 'break' | 'stop';

export interface Token {
  kind: TokenKind;
  /** Without quotation marks. */
  text: string;
}

const QUOTE = /"[^"]*"|“[^”]*”|«[^»]*»|`[^`]*`/;
const TIME =
  /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?|\b\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\b/;
const ADDRESS =
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b|(?<![\w:])(?:[0-9a-fA-F]{0,4}:){2,7}[0-9a-fA-F]{1,4}(?![\w:])/;
const PATH = /(?:\/[\w.$-]*[\w$-])+/;
const DOTTED = /[A-Za-z_$][\w$-]*(?:[.:/@]{1,2}[\w$]+)+/;
const MIXED = /(?=[\w$]*\d)(?=[\w$]*[A-Za-z_])[\w$]+|[A-Za-z$]*_[\w$]+|\$[A-Za-z_]\w*/;
const NUMBER = /(?<![\w.])[-+]?\d+(?:,\d{3})*(?:\.\d+)?%?/;
const WORD = /\p{L}[\p{L}’']*/u;
const STOP = /[.!?](?=\s|$)/;
const BREAK = /[;,](?=\s|$)|\n/;

const KINDS: readonly (readonly [TokenKind, RegExp])[] = [
  ['quote', QUOTE],
  ['time', TIME],
  ['name', ADDRESS],
  ['name', PATH],
  ['name', DOTTED],
  ['name', MIXED],
  ['number', NUMBER],
  ['word', WORD],
  ['stop', STOP],
  ['break', BREAK],
];
const SCANNER = new RegExp(KINDS.map(([, pattern]) => `(${pattern.source})`).join('|'), 'gu');

export function tokensOf(text: string): Token[] {
  return [...text.matchAll(SCANNER)].map((match) => {
    const at = KINDS.findIndex((_kind, index) => match[index + 1] !== undefined);
    const kind = KINDS[at]?.[0] ?? 'word';
    if (kind === 'word' && match[0].toLowerCase() === 'and') return { kind: 'break', text: match[0] };
    return { kind, text: kind === 'quote' ? match[0].slice(1, -1) : match[0] };
  });
}

/** Runs of tokens between breaks: what is said together must stand together. */
export function clausesOf(tokens: readonly Token[]): Token[][] {
  return splitAt(tokens, (token) => token.kind === 'break' || token.kind === 'stop');
}

export function sentencesOf(tokens: readonly Token[]): Token[][] {
  return splitAt(tokens, (token) => token.kind === 'stop');
}

/** The plain words of a text in lower case, what stands in quotation marks left out. */
export function plainWords(tokens: readonly Token[]): string[] {
  return tokens
    .filter(({ kind, text }) => kind === 'word' || text === 'and')
    .map(({ text }) => text.toLowerCase());
}

function splitAt(tokens: readonly Token[], isEnd: (token: Token) => boolean): Token[][] {
  const parts: Token[][] = [[]];
  for (const token of tokens) {
    if (isEnd(token)) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts.filter((part) => part.length > 0);
}

/** Milliseconds since the epoch of a full time; without a zone it is read as UTC. Null for a date or a clock time. */
export function instantOf(text: string): number | null {
  const match = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?$/.exec(
    text,
  );
  if (match === null) return null;
  const ms = Date.parse(`${match[1] ?? ''}T${(match[2] ?? '').replace(',', '.')}${match[3] ?? 'Z'}`);
  return Number.isNaN(ms) ? null : ms;
}

const ALL_TIMES = new RegExp(TIME.source, 'g');

export function instantsIn(text: string): Set<number> {
  return new Set(
    [...text.matchAll(ALL_TIMES)].map((match) => instantOf(match[0])).filter((ms) => ms !== null),
  );
}

/** Too short an ending to tell words apart: "entries" and "entry", "logged" and "log". */
export function baseOf(word: string): string {
  const lower = word.toLowerCase().replace(/[’']s$/, '');
  if (lower.length > 4 && lower.endsWith('ies')) return `${lower.slice(0, -3)}y`;
  return lower.length > 3 && lower.endsWith('s') && !lower.endsWith('ss') ? lower.slice(0, -1) : lower;
}
