/** Tokens written as one line of SQL that a server reads back as the same tokens. Pure. */
import type { SqlToken } from './sql-lexer.js';
import { isAllowedFunction } from './sql-allowed.js';

export function isSymbol(token: SqlToken | undefined, text: string): boolean {
  return token?.kind === 'symbol' && token.text === text;
}

/** True for the bare word, in any case; an identifier in backticks is never a keyword. */
export function isWord(token: SqlToken | undefined, ...words: readonly string[]): boolean {
  return token?.kind === 'word' && words.includes(token.text.toUpperCase());
}

export function isIdentifier(token: SqlToken | undefined): token is SqlToken & { kind: 'word' | 'name' } {
  return token?.kind === 'word' || token?.kind === 'name';
}

function writeToken(token: SqlToken): string {
  switch (token.kind) {
    case 'word':
    case 'number':
    case 'symbol':
      return token.text;
    case 'name':
      return `\`${token.text}\``;
    case 'string':
      return `'${token.text}'`;
  }
}

/**
 * A space between any two tokens, since `- -` and `/ *` must not grow together, except where it would change the
 * reading or the looks: around a point, inside parentheses, before a comma, and between a function and its parenthesis
 * (without IGNORE_SPACE `COUNT (x)` would be a stored function).
 */
function spaceBetween(before: SqlToken, after: SqlToken): boolean {
  if (isSymbol(before, '.') || isSymbol(after, '.') || isSymbol(before, '(')) return false;
  if (isSymbol(after, ',') || isSymbol(after, ')')) return false;
  return !(isSymbol(after, '(') && before.kind === 'word' && isAllowedFunction(before.text));
}

export function writeTokens(tokens: readonly SqlToken[]): string {
  let text = '';
  let before: SqlToken | undefined;
  for (const token of tokens) {
    if (before !== undefined && spaceBetween(before, token)) text += ' ';
    text += writeToken(token);
    before = token;
  }
  return text;
}
