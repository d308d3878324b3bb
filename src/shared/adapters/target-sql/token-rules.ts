/**
 * What the bare tokens forbid, whatever grammar they are read by: the first of two independent checks (the second walks
 * the parsed statement). Pure.
 */
import {
  INFORMATION_SCHEMA,
  isAllowedFunction,
  isSystemSchema,
  mayStandBeforeParenthesis,
  tableFault,
  type SqlPolicy,
} from './sql-allowed.js';
import type { SqlToken } from './sql-lexer.js';
import { denied, invalid, type SqlRefusal } from './sql-refusal.js';
import { isIdentifier, isSymbol, isWord } from './sql-text.js';

/** Reserved in both servers: as bare words they cannot be columns. */
const FORBIDDEN: readonly (readonly [string, string])[] = [
  ['INTO', 'INTO (OUTFILE, DUMPFILE, variables) is not allowed'],
  ['OUTFILE', 'INTO OUTFILE is not allowed'],
  ['DUMPFILE', 'INTO DUMPFILE is not allowed'],
  ['LOCK', 'locking reads are not allowed'],
  ['PROCEDURE', 'procedures are not allowed'],
  ['HIGH_PRIORITY', 'HIGH_PRIORITY is not allowed'],
  ['CURRENT_USER', 'accounts may not be asked about'],
  ['CURRENT_ROLE', 'accounts may not be asked about'],
];

/** `name (a, b) AS (` heads a common table expression. */
function headsCommonTable(tokens: readonly SqlToken[], open: number): boolean {
  let at = open + 1;
  while (isIdentifier(tokens[at])) {
    at++;
    if (isSymbol(tokens[at], ')')) return isWord(tokens[at + 1], 'AS') && isSymbol(tokens[at + 2], '(');
    if (!isSymbol(tokens[at], ',')) return false;
    at++;
  }
  return false;
}

function callFault(tokens: readonly SqlToken[], open: number): SqlRefusal | undefined {
  const callee = tokens[open - 1];
  if (!isIdentifier(callee)) return undefined;
  if (callee.kind === 'word' && (isAllowedFunction(callee.text) || mayStandBeforeParenthesis(callee.text)))
    return undefined;
  if (headsCommonTable(tokens, open)) return undefined;
  return denied(
    `the function ${callee.text} is not allowed: only functions that compute from their arguments are`,
  );
}

function wordFault(tokens: readonly SqlToken[], at: number): SqlRefusal | undefined {
  const token = tokens[at];
  if (token?.kind !== 'word') return undefined;
  const forbidden = FORBIDDEN.find(([word]) => isWord(token, word));
  if (forbidden) return denied(forbidden[1]);
  if (!isWord(token, 'FOR')) return undefined;
  if (isWord(tokens[at + 1], 'UPDATE', 'SHARE'))
    return denied('locking reads (FOR UPDATE, FOR SHARE) are not allowed');
  if (isWord(tokens[at - 1], 'VALUE')) return denied('sequences (NEXT VALUE FOR) are not allowed');
  return undefined;
}

/** `schema.` before anything: the system's schemas are out of bounds even where a statement only seems to name them. */
function qualifierFault(
  tokens: readonly SqlToken[],
  point: number,
  policy: SqlPolicy,
): SqlRefusal | undefined {
  const before = tokens[point - 1];
  const after = tokens[point + 1];
  if (!isIdentifier(after) && !isSymbol(after, '*')) return invalid('a name is missing after a point');
  if (!isIdentifier(before) || isSymbol(tokens[point - 2], '.')) return undefined;
  if (isSystemSchema(before.text)) return denied(`the schema ${before.text} may not be read`);
  if (before.text.toLowerCase() !== INFORMATION_SCHEMA || !isIdentifier(after)) return undefined;
  const fault = tableFault(before.text, after.text, policy);
  return fault === undefined ? undefined : denied(fault);
}

/** @param tokens one statement, without its closing semicolon. */
export function tokenFault(tokens: readonly SqlToken[], policy: SqlPolicy): SqlRefusal | undefined {
  for (const [at, token] of tokens.entries()) {
    if (isSymbol(token, ';')) return denied('only one statement is allowed');
    const fault =
      (isSymbol(token, '(') ? callFault(tokens, at) : undefined) ??
      (isSymbol(token, '.') ? qualifierFault(tokens, at, policy) : undefined) ??
      wordFault(tokens, at);
    if (fault) return fault;
  }
  return undefined;
}

/** First names of `a.b` and `a.b.c`, each with the number of names in its chain. */
export function qualifiers(tokens: readonly SqlToken[]): { name: string; parts: number }[] {
  const found: { name: string; parts: number }[] = [];
  for (const [at, token] of tokens.entries()) {
    if (!isIdentifier(token) || isSymbol(tokens[at - 1], '.') || !isSymbol(tokens[at + 1], '.')) continue;
    let parts = 1;
    while (isSymbol(tokens[at + 2 * parts - 1], '.')) parts++;
    found.push({ name: token.text, parts });
  }
  return found;
}
