/** SHOW and DESCRIBE: a grammar of few forms, read from the tokens; everything else of them is refused. Pure. */
import { schemaFault, tableFault, type SqlPolicy } from './sql-allowed.js';
import type { SqlToken } from './sql-lexer.js';
import { denied, invalid, type SqlRefusal } from './sql-refusal.js';
import { isIdentifier, isSymbol, isWord } from './sql-text.js';

const FORMS =
  'allowed are SHOW TABLES, COLUMNS, INDEX, CREATE TABLE, CREATE VIEW, TABLE STATUS and STATUS, each with FROM and LIKE';

class Reader {
  #at = 0;
  fault: SqlRefusal | undefined;

  constructor(
    private readonly tokens: readonly SqlToken[],
    private readonly policy: SqlPolicy,
  ) {}

  word(...words: readonly string[]): boolean {
    const fits = isWord(this.tokens[this.#at], ...words);
    if (fits) this.#at++;
    return fits;
  }

  name(): string | undefined {
    const token = this.tokens[this.#at];
    if (!isIdentifier(token)) return undefined;
    this.#at++;
    return token.text;
  }

  point(): boolean {
    const fits = isSymbol(this.tokens[this.#at], '.');
    if (fits) this.#at++;
    return fits;
  }

  text(): boolean {
    const fits = this.tokens[this.#at]?.kind === 'string';
    if (fits) this.#at++;
    return fits;
  }

  /** `[schema.]table [FROM schema]`, and whether it may be read. */
  table(withFrom: boolean): boolean {
    const first = this.name();
    if (first === undefined) return false;
    let schema: string | undefined;
    let table = first;
    if (this.point()) {
      const second = this.name();
      if (second === undefined) return false;
      [schema, table] = [first, second];
    }
    if (withFrom && this.word('FROM', 'IN')) {
      schema = this.name();
      if (schema === undefined) return false;
    }
    this.#refuse(tableFault(schema ?? this.policy.database, table, this.policy));
    return true;
  }

  /** `[FROM schema]`; true also when nothing of it stands here. */
  fromSchema(): boolean {
    if (!this.word('FROM', 'IN')) return true;
    const schema = this.name();
    if (schema === undefined) return false;
    this.#refuse(schemaFault(schema, this.policy));
    return true;
  }

  like(): boolean {
    return !this.word('LIKE') || this.text();
  }

  atEnd(): boolean {
    return this.#at === this.tokens.length;
  }

  #refuse(message: string | undefined): void {
    if (message !== undefined) this.fault ??= denied(message);
  }
}

function readShow(reader: Reader): boolean {
  reader.word('FULL', 'EXTENDED');
  if (reader.word('TABLES')) return reader.fromSchema() && reader.like();
  if (reader.word('COLUMNS', 'FIELDS'))
    return reader.word('FROM', 'IN') && reader.table(true) && reader.like();
  if (reader.word('INDEX', 'INDEXES', 'KEYS')) return reader.word('FROM', 'IN') && reader.table(true);
  if (reader.word('CREATE')) return reader.word('TABLE', 'VIEW') && reader.table(false);
  if (reader.word('TABLE')) return reader.word('STATUS') && reader.fromSchema() && reader.like();
  reader.word('GLOBAL', 'SESSION');
  return reader.word('STATUS') && reader.like();
}

/** @param tokens the statement with its leading SHOW. */
export function showFault(tokens: readonly SqlToken[], policy: SqlPolicy): SqlRefusal | undefined {
  const reader = new Reader(tokens.slice(1), policy);
  const read = readShow(reader);
  if (reader.fault) return reader.fault;
  return read && reader.atEnd() ? undefined : denied(`this SHOW statement is not allowed: ${FORMS}`);
}

/** @param tokens what follows DESCRIBE, DESC or EXPLAIN: `[schema.]table [column | 'pattern']`. */
export function describeFault(tokens: readonly SqlToken[], policy: SqlPolicy): SqlRefusal | undefined {
  const reader = new Reader(tokens, policy);
  const read = reader.table(false);
  if (read && !reader.text()) reader.name();
  if (reader.fault) return reader.fault;
  return read && reader.atEnd() ? undefined : invalid('DESCRIBE takes a table and at most one column');
}
