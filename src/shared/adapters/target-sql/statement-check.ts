/**
 * One read statement or a refusal (contract §5): lexed, checked by tokens, parsed, walked, and written anew. What comes
 * back is what is sent. Beneath it stand a read-only transaction and a read-only account: a view or a generated column
 * of an allowed schema may lead elsewhere, and only the account decides there. Pure.
 */
import type { SqlPolicy } from './sql-allowed.js';
import { readTokens, type SqlToken } from './sql-lexer.js';
import { selectFault } from './select-check.js';
import { describeFault, showFault } from './show-check.js';
import { denied, invalid, type SqlRefusal } from './sql-refusal.js';
import { isSymbol, isWord, writeTokens } from './sql-text.js';
import { tokenFault } from './token-rules.js';

export type CheckedStatement = { ok: true; sql: string } | SqlRefusal;

/** First words of statements that exist and are no reads: told apart from text that is no SQL. */
const OTHER_STATEMENTS = (
  'ALTER ANALYZE BEGIN BINLOG CACHE CALL CHANGE CHECK CHECKSUM CLONE COMMIT CREATE DEALLOCATE DECLARE DELETE DELIMITER DO ' +
  'DROP EXECUTE FLUSH GET GRANT HANDLER HELP IMPORT INSERT INSTALL KILL LOAD LOCK MERGE OPTIMIZE PREPARE PURGE RELEASE ' +
  'RENAME REPAIR REPLACE RESET RESIGNAL RESTART REVOKE ROLLBACK SAVEPOINT SET SHUTDOWN SIGNAL START STOP TABLE TRUNCATE ' +
  'UNINSTALL UNLOCK UPDATE USE VALUES XA'
).split(' ');

/** What `EXPLAIN` explains, or the table that it describes. */
function explainFault(tokens: readonly SqlToken[], policy: SqlPolicy): SqlRefusal | undefined {
  let at = 1;
  if (isWord(tokens[at], 'EXTENDED', 'PARTITIONS')) at++;
  else if (isWord(tokens[at], 'FORMAT') && isSymbol(tokens[at + 1], '=')) {
    if (!isWord(tokens[at + 2], 'JSON', 'TRADITIONAL', 'TREE'))
      return invalid('EXPLAIN FORMAT is JSON, TRADITIONAL or TREE');
    at += 3;
  }
  const rest = tokens.slice(at);
  if (isWord(rest[0], 'SELECT', 'WITH') || isSymbol(rest[0], '(')) return selectFault(rest, policy);
  if (isWord(rest[0], 'FOR')) return denied('EXPLAIN FOR CONNECTION is not allowed');
  if (isWord(rest[0], ...OTHER_STATEMENTS)) return denied('only SELECT statements may be explained');
  return at === 1 ? describeFault(rest, policy) : invalid('EXPLAIN takes a SELECT statement');
}

function statementFault(tokens: readonly SqlToken[], policy: SqlPolicy): SqlRefusal | undefined {
  const [first] = tokens;
  if (isWord(first, 'SELECT', 'WITH') || isSymbol(first, '(')) return selectFault(tokens, policy);
  if (isWord(first, 'EXPLAIN', 'DESCRIBE', 'DESC')) return explainFault(tokens, policy);
  if (isWord(first, 'SHOW')) return showFault(tokens, policy);
  const kinds = 'SELECT, EXPLAIN, DESCRIBE and SHOW';
  if (isWord(first, ...OTHER_STATEMENTS)) return denied(`only one reading statement is allowed: ${kinds}`);
  return invalid(`this is no SQL statement that can be run here: use ${kinds}`);
}

export function checkStatement(sql: string, policy: SqlPolicy): CheckedStatement {
  const read = readTokens(sql);
  if (!read.ok) return read;
  const { tokens } = read;
  while (isSymbol(tokens.at(-1), ';')) tokens.pop();
  if (tokens.length === 0) return invalid('there is no statement');
  const fault = tokenFault(tokens, policy) ?? statementFault(tokens, policy);
  return fault ?? { ok: true, sql: writeTokens(tokens) };
}
