/**
 * A SELECT (with WITH, UNION, subqueries) read by a full grammar and walked: only reads, only known kinds of nodes, only
 * allowed tables. The parser sees the same tokens as the server but for the contents of strings, which mean nothing to
 * the check. Pure; the grammar is loaded at the first use (about 11 MiB).
 */
import { createRequire } from 'node:module';
import type { Parser } from 'node-sql-parser';
import { INFORMATION_SCHEMA, schemaFault, tableFault, type SqlPolicy } from './sql-allowed.js';
import type { SqlToken } from './sql-lexer.js';
import { denied, invalid, type SqlRefusal } from './sql-refusal.js';
import { isIdentifier, isSymbol, isWord, writeTokens } from './sql-text.js';
import { qualifiers } from './token-rules.js';

const NODE_TYPES = new Set([
  ...[
    'select',
    'column_ref',
    'function',
    'aggr_func',
    'window',
    'rows',
    'expr_list',
    'binary_expr',
    'unary_expr',
  ],
  ...[
    'extract',
    'cast',
    'datatype',
    'collate',
    'interval',
    'case',
    'when',
    'else',
    'fulltext_search',
    'ESCAPE',
  ],
  ...[
    'number',
    'single_quote_string',
    'hex_string',
    'full_hex_string',
    'bit_string',
    'bool',
    'null',
    'star',
    'dual',
  ],
  ...['timestamp', 'datetime', 'date', 'time', 'origin', 'default', 'backticks_quote_string', 'ASC', 'DESC'],
]);
/** Deeper statements are refused before a recursive grammar runs out of stack. */
const MAX_DEPTH = 40;
const MAX_NODES = 50_000;

let parser: Parser | undefined;

function grammar(): Parser {
  if (parser) return parser;
  // The build with one grammar; the package's own entry loads them all.
  const { Parser: Grammar } = createRequire(import.meta.url)('node-sql-parser/build/mysql.js') as {
    Parser: new () => Parser;
  };
  return (parser = new Grammar());
}

/**
 * The statement as the grammar gets it: strings emptied, and forms that it does not know replaced by ones of the same
 * structure: `<=>` by `=`; NATURAL, DISTINCT in an aggregate and index hints left out; UTC_TIMESTAMP with parentheses.
 */
function forGrammar(tokens: readonly SqlToken[]): SqlToken[] {
  const out: SqlToken[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined) break;
    const hintEnd = indexHintEnd(tokens, at);
    if (hintEnd !== undefined) at = hintEnd;
    else if (token.kind === 'string') out.push({ kind: 'string', text: 'x' });
    else if (isSymbol(token, '<=>')) out.push({ kind: 'symbol', text: '=' });
    else if (isWord(token, 'DISTINCT', 'ALL') && isAggregate(tokens, at)) continue;
    else if (isWord(token, 'NATURAL') && isWord(tokens[at + 1], 'JOIN', 'LEFT', 'RIGHT', 'INNER')) continue;
    else if (isWord(token, 'RANK') && !isSymbol(tokens[at + 1], '('))
      out.push({ kind: 'name', text: token.text });
    else if (isWord(token, 'STD')) out.push({ kind: 'word', text: 'STDDEV' });
    else if (isWord(token, 'UTC_TIMESTAMP', 'UTC_DATE', 'UTC_TIME', 'LOCALTIME', 'LOCALTIMESTAMP')) {
      out.push({ kind: 'word', text: 'NOW' });
      if (!isSymbol(tokens[at + 1], '('))
        out.push({ kind: 'symbol', text: '(' }, { kind: 'symbol', text: ')' });
    } else out.push(token);
  }
  return out;
}

function isAggregate(tokens: readonly SqlToken[], at: number): boolean {
  return isSymbol(tokens[at - 1], '(') && isWord(tokens[at - 2], 'SUM', 'AVG', 'MIN', 'MAX', 'COUNT');
}

/** Index of the parenthesis that closes `USE INDEX [FOR …] (a, b)` if that begins at `at`. */
function indexHintEnd(tokens: readonly SqlToken[], at: number): number | undefined {
  if (!isWord(tokens[at], 'USE', 'FORCE', 'IGNORE') || !isWord(tokens[at + 1], 'INDEX', 'KEY'))
    return undefined;
  let end = at + 2;
  while (isWord(tokens[end], 'FOR', 'JOIN', 'ORDER', 'GROUP', 'BY')) end++;
  if (!isSymbol(tokens[end], '(')) return undefined;
  do end++;
  while (isIdentifier(tokens[end]) || isSymbol(tokens[end], ','));
  return isSymbol(tokens[end], ')') ? end : undefined;
}

function depthFault(tokens: readonly SqlToken[]): SqlRefusal | undefined {
  let depth = 0;
  let cases = 0;
  for (const token of tokens) {
    if (isSymbol(token, '(')) depth++;
    else if (isSymbol(token, ')')) depth--;
    else if (isWord(token, 'CASE')) cases++;
    else if (isWord(token, 'END') && cases > 0) cases--;
    if (depth < 0) return invalid('a parenthesis is closed that was not opened');
    if (depth + cases > MAX_DEPTH) return invalid('the statement is nested too deeply');
  }
  return depth === 0 ? undefined : invalid('a parenthesis is not closed');
}

interface Walk {
  /** Schema and name of each table; an absent schema means the default database. */
  tables: { schema: string | null; table: string }[];
  /** Names that a column may be qualified with: aliases, tables, common tables. */
  names: Set<string>;
}

type AstNode = Readonly<Record<string, unknown>>;

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A table reference is the node that has `table` and `db` and is not a column. */
function noteTable(node: AstNode, walk: Walk): void {
  if (node['type'] === undefined && Object.hasOwn(node, 'db')) {
    const table = textOf(node['table']);
    if (table !== null) {
      walk.tables.push({ schema: textOf(node['db']), table });
      walk.names.add(table);
    }
  }
  const alias = textOf(node['as']);
  if (alias !== null) walk.names.add(alias);
  const common = Object.hasOwn(node, 'stmt') ? node['name'] : undefined;
  if (typeof common === 'object' && common !== null) {
    const name = textOf((common as AstNode)['value']);
    if (name !== null) walk.names.add(name);
  }
}

function nodeFault(node: AstNode): SqlRefusal | undefined {
  const type = node['type'];
  if (typeof type === 'string' && !NODE_TYPES.has(type)) {
    if (type === 'into') return denied('INTO is not allowed');
    if (type === 'var' || type === 'assign') return denied('variables are not allowed');
    if (Object.hasOwn(node, 'from') || Object.hasOwn(node, 'keyword'))
      return denied(`only reading statements are allowed, not ${type}`);
    return invalid(`a part of the statement (${type}) is not supported`);
  }
  if (node['locking_read'] !== undefined && node['locking_read'] !== null)
    return denied('locking reads are not allowed');
  return undefined;
}

function walkTree(root: unknown): Walk | SqlRefusal {
  const walk: Walk = { tables: [], names: new Set() };
  const open: unknown[] = [root];
  for (let seen = 0; open.length > 0; seen++) {
    if (seen > MAX_NODES) return invalid('the statement is too large');
    const node = open.pop();
    if (Array.isArray(node)) open.push(...(node as unknown[]));
    else if (typeof node === 'object' && node !== null) {
      const fault = nodeFault(node as AstNode);
      if (fault) return fault;
      noteTable(node as AstNode, walk);
      open.push(...Object.values(node as AstNode));
    }
  }
  return walk;
}

function parse(tokens: readonly SqlToken[]): { ast: unknown } | SqlRefusal {
  try {
    return { ast: grammar().astify(writeTokens(forGrammar(tokens)), { database: 'MySQL' }) };
  } catch (error) {
    if (error instanceof RangeError) return invalid('the statement is nested too deeply');
    return invalid(
      `the statement cannot be parsed${nearby(error, tokens)}; mind MySQL syntax and quote odd names with backticks`,
    );
  }
}

/** Where the grammar gave up, in its own copy of the statement. */
function nearby(error: unknown, tokens: readonly SqlToken[]): string {
  const offset = (error as { location?: { start?: { offset?: unknown } } }).location?.start?.offset;
  if (typeof offset !== 'number') return '';
  const before = writeTokens(forGrammar(tokens))
    .slice(Math.max(0, offset - 30), offset + 20)
    .trim();
  return before === '' ? '' : ` near: ${before}`;
}

export function selectFault(tokens: readonly SqlToken[], policy: SqlPolicy): SqlRefusal | undefined {
  const depth = depthFault(tokens);
  if (depth) return depth;
  const parsed = parse(tokens);
  if ('ok' in parsed) return parsed;
  const roots = Array.isArray(parsed.ast) ? (parsed.ast as unknown[]) : [parsed.ast];
  const [root, ...more] = roots;
  if (more.length > 0) return denied('only one statement is allowed');
  if ((root as AstNode | undefined)?.['type'] !== 'select')
    return denied('only reading statements are allowed');
  const walk = walkTree(root);
  if ('ok' in walk) return walk;
  for (const { schema, table } of walk.tables) {
    const fault = tableFault(schema ?? policy.database, table, policy);
    if (fault !== undefined) return denied(fault);
  }
  return qualifierFault(tokens, walk.names, policy);
}

/** Independent of the walk: a qualifier is a table of the statement or an allowed schema, and nothing else. */
function qualifierFault(
  tokens: readonly SqlToken[],
  names: ReadonlySet<string>,
  policy: SqlPolicy,
): SqlRefusal | undefined {
  const known = new Set([...names].map((name) => name.toLowerCase()));
  for (const { name, parts } of qualifiers(tokens)) {
    if (parts > 3) return invalid(`${name}.… has too many parts`);
    if (parts === 2 && known.has(name.toLowerCase())) continue;
    if (name.toLowerCase() === INFORMATION_SCHEMA) continue;
    const fault = schemaFault(name, policy);
    if (fault === undefined) continue;
    return parts === 2 ? invalid(`${name} is no table of the statement, and ${fault}`) : denied(fault);
  }
  return undefined;
}
