/** The shop's database as far as the analyst asks: a handful of statements over rows kept here, answered as the tool would. */
import {
  MysqlQueryProjection,
  type SqlValue,
} from '../../../src/shared/domain/contracts/tools/mysql-query.js';
import { DROPPED_INDEX, LOCKED_AT, MIGRATED_AT } from './shop-logs.js';

interface Table {
  columns: Record<string, string>;
  rows: Record<string, SqlValue>[];
}

const SLOW_SQL = 'SELECT id FROM orders WHERE buyer_id = ?';

const TABLES: Record<string, Table> = {
  orders: {
    columns: { id: 'int', buyer_id: 'int', status: 'varchar', placed_at: 'datetime' },
    rows: times('2024-05-06T10:01:00.000Z', 60_000, 40).map((placed_at, id) => ({
      id,
      buyer_id: id % 7,
      status: id < 25 ? 'PAID' : 'OPEN',
      placed_at,
    })),
  },
  payments: { columns: { id: 'int', amount: 'decimal', paid_at: 'datetime' }, rows: [] },
  schema_migrations: {
    columns: { version: 'int', description: 'varchar', applied_at: 'datetime' },
    rows: [
      { version: 2023, description: 'add column coupons.source', applied_at: '2024-04-01T08:00:00.000Z' },
      { version: 2024, description: `drop index ${DROPPED_INDEX} on orders`, applied_at: MIGRATED_AT },
    ],
  },
  slow_query_log: {
    columns: {
      id: 'int',
      started_at: 'datetime',
      table_name: 'varchar',
      duration_ms: 'int',
      statement: 'text',
    },
    rows: times('2024-05-06T10:20:03.000Z', 30_000, 79).map((started_at, id) => ({
      id,
      started_at,
      table_name: 'orders',
      duration_ms: 1200 + id,
      statement: SLOW_SQL,
    })),
  },
  lock_waits: {
    columns: { id: 'int', waited_at: 'datetime', table_name: 'varchar', waited_ms: 'int' },
    rows: times(LOCKED_AT, 60_000, 30).map((waited_at, id) => ({
      id,
      waited_at,
      table_name: 'orders',
      waited_ms: 5000 + id,
    })),
  },
};

export const SHOP_TABLES = Object.keys(TABLES).sort();

interface Answer {
  columns: string[];
  rows: SqlValue[][];
}

/** @throws when a statement is asked that this database does not know: then a test has found something new. */
export function askShop(toolCallId: string, sql: string, limit: number): MysqlQueryProjection {
  const { columns, rows } = answerTo(sql);
  return MysqlQueryProjection.parse({
    tool: 'mysql_query',
    tool_call_id: toolCallId,
    evidence_status: rows.length > 0 ? 'EVIDENCE_FOUND' : 'NO_EVIDENCE',
    scope: { database: 'shop', sql, limit, assumptions: [] },
    columns,
    rows: rows.slice(0, limit),
    row_count: Math.min(rows.length, limit),
    truncated: rows.length > limit,
    executed_at: '2024-05-06T11:00:05.000Z',
  });
}

function answerTo(sql: string): Answer {
  if (sql.includes('information_schema.COLUMNS')) return columnsAnswer();
  if (sql.includes('information_schema.KEY_COLUMN_USAGE'))
    return {
      columns: [
        'TABLE_SCHEMA',
        'TABLE_NAME',
        'COLUMN_NAME',
        'REFERENCED_TABLE_NAME',
        'REFERENCED_COLUMN_NAME',
      ],
      rows: [],
    };
  if (sql.includes('information_schema.STATISTICS')) return indexAnswer(sql);
  const table = TABLES[/FROM `(\w+)`/.exec(sql)?.[1] ?? ''];
  if (table === undefined) throw new Error(`the shop cannot answer: ${sql}`);
  const found = inSpan(table, sql);
  if (sql.includes('COUNT(*)')) return countAnswer(found, sql);
  const columns = [...(/SELECT (.*?) FROM/.exec(sql)?.[1] ?? '').matchAll(/`(\w+)`/g)].map(
    (match) => match[1] ?? '',
  );
  const ordered = sql.includes(' DESC ') ? [...found].reverse() : found;
  return { columns, rows: ordered.map((row) => columns.map((column) => row[column] ?? null)) };
}

function columnsAnswer(): Answer {
  const rows = SHOP_TABLES.flatMap((name) =>
    Object.entries(TABLES[name]?.columns ?? {}).map(([column, type]) => ['shop', name, column, type]),
  );
  return { columns: ['TABLE_SCHEMA', 'TABLE_NAME', 'COLUMN_NAME', 'DATA_TYPE'], rows };
}

/** Of `orders` alone, and the dropped index is not among them. */
function indexAnswer(sql: string): Answer {
  const named = /INDEX_NAME = '(\w+)'/.exec(sql)?.[1];
  const all = [
    ['orders', 'PRIMARY', 'id'],
    ['orders', 'idx_orders_placed_at', 'placed_at'],
  ];
  if (named !== undefined)
    return {
      columns: ['TABLE_NAME', 'INDEX_NAME', 'COLUMN_NAME'],
      rows: all.filter(([, index]) => index === named),
    };
  const rows = sql.includes("TABLE_NAME = 'orders'")
    ? all.map(([table, index, column]) => [table, index, 1, column])
    : [];
  return {
    columns: ['TABLE_NAME', 'INDEX_NAME', 'SEQ_IN_INDEX', 'COLUMN_NAME'],
    rows: rows.map((row) => row.map((value) => value ?? null)),
  };
}

function inSpan(table: Table, sql: string): Record<string, SqlValue>[] {
  const span = /`(\w+)` >= '([^']+)' AND `\w+` < '([^']+)'/.exec(sql);
  if (span === null) return table.rows;
  const [, column = '', from = '', to = ''] = span;
  const at = (row: Record<string, SqlValue>): number => Date.parse(String(row[column]));
  const ms = (text: string): number => Date.parse(`${text.replace(' ', 'T')}Z`);
  return table.rows.filter((row) => at(row) >= ms(from) && at(row) < ms(to));
}

/** `SELECT [`group`,] COUNT(*) AS entry_count [, MIN, MAX, MAX …] … [GROUP BY …]`. */
function countAnswer(rows: Record<string, SqlValue>[], sql: string): Answer {
  const group = /GROUP BY `(\w+)`/.exec(sql)?.[1];
  const parts = [...sql.matchAll(/(MIN|MAX)\(`(\w+)`\) AS `?(\w+)`?/g)];
  const keys = group === undefined ? [null] : [...new Set(rows.map((row) => row[group] ?? null))];
  const answer = keys.map((key) => {
    const own = group === undefined ? rows : rows.filter((row) => row[group] === key);
    const extremes = parts.map(([, kind, column = '']) => {
      const values = own
        .map((row) => row[column] ?? null)
        .sort((a, b) => Number(a) - Number(b) || (String(a) < String(b) ? -1 : 1));
      return (kind === 'MIN' ? values[0] : values.at(-1)) ?? null;
    });
    return [...(group === undefined ? [] : [key]), String(own.length), ...extremes];
  });
  answer.sort((a, b) => Number(b[group === undefined ? 0 : 1]) - Number(a[group === undefined ? 0 : 1]));
  return {
    columns: [
      ...(group === undefined ? [] : [group]),
      'entry_count',
      ...parts.map((match) => match[3] ?? ''),
    ],
    rows: answer,
  };
}

function times(from: string, gapMs: number, count: number): string[] {
  return Array.from({ length: count }, (_unused, index) =>
    new Date(Date.parse(from) + index * gapMs).toISOString(),
  );
}
