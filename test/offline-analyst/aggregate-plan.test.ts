import { expect } from 'chai';
import fc from 'fast-check';
import { diagnose } from '../../src/offline-analyst/stages/diagnose.js';
import { MysqlQueryProjection, type SqlValue } from '../../src/shared/domain/contracts/tools/mysql-query.js';
import { canonicalJson } from '../../src/shared/domain/guards/canonical-json.js';
import { agentMessages, type CommittedRound } from '../../src/shared/domain/prompts/agent-messages.js';
import type { AgentPayload } from '../../src/shared/domain/prompts/payloads.js';

type Columns = Record<string, Record<string, string>>;
type Keys = [string, string, string, string][];

const LIBRARY: Columns = {
  genre: { genre_id: 'int', name: 'varchar' },
  book: { book_id: 'int', genre_id: 'int', title: 'varchar', price: 'decimal' },
  copy: { copy_id: 'int', book_id: 'int' },
  loan: { loan_id: 'int', copy_id: 'int', reader_id: 'int', loaned_at: 'datetime' },
  fee: { fee_id: 'int', loan_id: 'int', amount: 'decimal', paid_at: 'datetime' },
  reader: { reader_id: 'int', first_name: 'varchar', last_name: 'varchar' },
  book_list: { book_id: 'int', title: 'varchar', genre: 'varchar', price: 'decimal' },
};
const KEYS: Keys = [
  ['book', 'genre_id', 'genre', 'genre_id'],
  ['copy', 'book_id', 'book', 'book_id'],
  ['loan', 'copy_id', 'copy', 'copy_id'],
  ['loan', 'reader_id', 'reader', 'reader_id'],
  ['fee', 'loan_id', 'loan', 'loan_id'],
];

/** The statements that the analyst asks once it knows the schema. */
function statements(query: string, tables: Columns, keys: Keys): string[] {
  const payload: AgentPayload = {
    query,
    window: { from: '2024-05-06T10:00:00.000Z', to: '2024-05-06T11:00:00.000Z' },
    conversation: [],
    previous_turn: null,
    material: { services: [], databases: [{ name: 'library', tables: Object.keys(tables) }] },
  };
  const first = asked(payload, []);
  const calls = first.map(({ id, sql }) => ({
    toolCallId: id,
    tool: 'mysql_query',
    arguments: canonicalJson({ sql, database: 'library', limit: 200 }),
    answer: { kind: 'projection' as const, json: canonicalJson(schemaAnswer(id, sql, tables, keys)) },
  }));
  return asked(payload, [{ content: '', calls, notices: [] }]).map(({ sql }) => sql);
}

function asked(payload: AgentPayload, rounds: CommittedRound[]): { id: string; sql: string }[] {
  return diagnose(agentMessages('DIAGNOSIS', payload, rounds), ['mysql_query']).toolCalls.map(
    ({ id, arguments: json }) => ({
      id,
      sql: (JSON.parse(json) as { sql: string }).sql,
    }),
  );
}

function schemaAnswer(id: string, sql: string, tables: Columns, keys: Keys): MysqlQueryProjection {
  const ofKeys = sql.includes('KEY_COLUMN_USAGE');
  const columns = ofKeys
    ? ['TABLE_SCHEMA', 'TABLE_NAME', 'COLUMN_NAME', 'REFERENCED_TABLE_NAME', 'REFERENCED_COLUMN_NAME']
    : ['TABLE_SCHEMA', 'TABLE_NAME', 'COLUMN_NAME', 'DATA_TYPE'];
  const rows: SqlValue[][] = ofKeys
    ? keys.map((key) => ['library', ...key])
    : Object.entries(tables).flatMap(([table, of]) =>
        Object.entries(of).map(([name, type]) => ['library', table, name, type]),
      );
  return MysqlQueryProjection.parse({
    tool: 'mysql_query',
    tool_call_id: id,
    evidence_status: rows.length > 0 ? 'EVIDENCE_FOUND' : 'NO_EVIDENCE',
    scope: { database: 'library', sql, limit: 200, assumptions: [] },
    columns,
    rows,
    row_count: rows.length,
    truncated: false,
    executed_at: '2024-05-06T11:00:00.000Z',
  });
}

describe('the offline analyst counts and ranks rows by what a schema says', () => {
  it('joins along foreign keys from what is ranked to what was paid', () => {
    const [sql = ''] = statements('Which book genres earned most?', LIBRARY, KEYS);
    expect(sql).to.match(
      /^SELECT `genre`\.`name`, SUM\(`fee`\.`amount`\) AS `sum_amount` FROM `genre` JOIN `book`/,
    );
    const joined = [...sql.matchAll(/JOIN `(\w+)`/g)].map((match) => match[1]);
    expect(joined).to.deep.equal(['book', 'copy', 'loan', 'fee']);
    expect(sql).to.include('ORDER BY `sum_amount` DESC LIMIT 10').and.to.not.include('WHERE');
  });

  it('prefers one relation that was made for the question', () => {
    const tables = { ...LIBRARY, fees_by_book_genre: { genre: 'varchar', total_fees: 'decimal' } };
    const [sql = ''] = statements('Which book genres earned most?', tables, KEYS);
    expect(sql).to.match(
      /^SELECT `genre`, SUM\(`total_fees`\) AS `sum_total_fees` FROM `fees_by_book_genre` GROUP BY/,
    );
  });

  it('reads keys off column names where none are declared', () => {
    const [sql = ''] = statements('Which genres earned most?', LIBRARY, []);
    expect([...sql.matchAll(/JOIN `(\w+)`/g)].map((match) => match[1])).to.deep.equal([
      'book',
      'copy',
      'loan',
      'fee',
    ]);
  });

  it('tells people of one name apart, and asks for the least where the least is asked for', () => {
    const [sql = ''] = statements('Which readers paid least?', LIBRARY, KEYS);
    expect(sql).to.include('GROUP BY `reader`.`reader_id`, `reader`.`first_name`, `reader`.`last_name`');
    expect(sql).to.include(' ASC LIMIT');
  });

  it('takes the window only when the question speaks of time', () => {
    expect(statements('How many loans are there?', LIBRARY, KEYS)[0]).to.equal(
      'SELECT COUNT(*) AS entry_count FROM `loan`',
    );
    expect(statements('How many loans were made in the last hour?', LIBRARY, KEYS)[0]).to.include(
      "WHERE `loaned_at` >= '2024-05-06 10:00:00.000' AND `loaned_at` < '2024-05-06 11:00:00.000'",
    );
  });

  it('puts no name into a statement that is not a plain one', () => {
    const odd = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 20 })
      .filter((name) => !/^[A-Za-z_][\w$]*$/.test(name));
    fc.assert(
      fc.property(odd, odd, (table, column) => {
        const tables = {
          ...LIBRARY,
          [`genre ${table}`]: { genre: 'varchar', [`amount ${column}`]: 'decimal' },
        };
        for (const sql of statements('Which genres earned most?', tables, KEYS)) {
          expect(sql).to.match(/^[\w\s`.,()*=><':;-]+$/);
          expect(sql).to.not.include(`genre ${table}`);
        }
      }),
      { numRuns: 200 },
    );
  });
});
