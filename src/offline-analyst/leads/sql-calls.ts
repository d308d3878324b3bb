/** The statements that the analyst knows how to ask. Pure; names come from the material or from a schema lookup. */
import type { Window } from '../../shared/domain/contracts/window.js';
import type { Wanted } from '../reading/case-view.js';
import {
  COLUMN_LIST,
  columnsOf,
  isNumberColumn,
  isTextColumn,
  KEY_LIST,
  timeColumn,
  type Column,
  type Schema,
} from '../reading/schema.js';
import { inList, inWindow, isPlainName, sqlName, sqlText } from './sql-text.js';

export type SqlCall = Wanted & { tool: 'mysql_query' };

const MAX_SHOWN_COLUMNS = 12;
/** A schema with more tables is asked about the tables of interest alone. */
const WHOLE_SCHEMA_TABLES = 25;
const MAX_LISTED = 40;

export function sqlCall(database: string, sql: string, limit: number): SqlCall {
  return { tool: 'mysql_query', args: { database, limit, sql } };
}

export function columnsCall(database: string, tables: readonly string[], of: readonly string[]): SqlCall {
  const narrowed = tables.length > WHOLE_SCHEMA_TABLES && of.length > 0;
  const some = narrowed ? ` AND TABLE_NAME IN ${inList(of.slice(0, MAX_LISTED))}` : '';
  return sqlCall(
    database,
    `SELECT ${COLUMN_LIST.join(', ')} FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ${sqlText(database)}${some} ORDER BY TABLE_NAME, ORDINAL_POSITION`,
    200,
  );
}

export function keysCall(database: string): SqlCall {
  return sqlCall(
    database,
    `SELECT ${KEY_LIST.join(', ')} FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = ${sqlText(database)} AND REFERENCED_TABLE_NAME IS NOT NULL ORDER BY TABLE_NAME, COLUMN_NAME`,
    200,
  );
}

export function indexesCall(database: string, table: string): SqlCall {
  return sqlCall(
    database,
    `SELECT TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX, COLUMN_NAME FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = ${sqlText(database)} AND TABLE_NAME = ${sqlText(table)} ORDER BY INDEX_NAME, SEQ_IN_INDEX`,
    50,
  );
}

/** Asks for one index by its name, so that no row is an answer about exactly that. */
export function indexCall(database: string, index: string): SqlCall {
  return sqlCall(
    database,
    `SELECT TABLE_NAME, INDEX_NAME, COLUMN_NAME FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = ${sqlText(database)} AND INDEX_NAME = ${sqlText(index)}`,
    50,
  );
}

interface TableOfInterest {
  database: string;
  table: string;
  columns: readonly Column[];
}

/** Null while the columns are not known, or when a name of the table is not a plain one. */
export function tableOfInterest(schema: Schema, database: string, table: string): TableOfInterest | null {
  const columns = columnsOf(schema, database, table).filter((column) => isPlainName(column.name));
  return columns.length === 0 || !isPlainName(table) ? null : { database, table, columns };
}

/** The newest rows, whenever they were written: what was recorded there last. */
export function newestRowsCall(of: TableOfInterest): SqlCall | null {
  const time = timeColumn(of.columns);
  if (time === null) return null;
  return sqlCall(
    of.database,
    `SELECT ${shown(of.columns)} FROM ${sqlName(of.table)} ORDER BY ${sqlName(time.name)} DESC LIMIT 20`,
    20,
  );
}

/** The first rows of a stretch of time, in order. */
export function rowsInCall(of: TableOfInterest, window: Window): SqlCall | null {
  const time = timeColumn(of.columns);
  if (time === null) return null;
  return sqlCall(
    of.database,
    `SELECT ${shown(of.columns)} FROM ${sqlName(of.table)} WHERE ${inWindow(time.name, window)} ORDER BY ${sqlName(time.name)} LIMIT 15`,
    15,
  );
}

/** Counts of a stretch of time, per table or kind of statement where a column names it, with first, last and longest. */
export function summaryCall(of: TableOfInterest, window: Window): SqlCall | null {
  const time = timeColumn(of.columns);
  if (time === null) return null;
  const at = sqlName(time.name);
  const by = of.columns.find(
    (column) => isTextColumn(column) && /table|digest|fingerprint|template/i.test(column.name),
  );
  const duration = durationColumn(of.columns);
  const parts = [
    ...(by === undefined ? [] : [sqlName(by.name)]),
    'COUNT(*) AS entry_count',
    `MIN(${at}) AS first_seen`,
    `MAX(${at}) AS last_seen`,
    ...(duration === null
      ? []
      : [`MAX(${sqlName(duration.name)}) AS ${sqlName(`longest_${duration.name}`.slice(0, 64))}`]),
  ];
  const group = by === undefined ? '' : ` GROUP BY ${sqlName(by.name)} ORDER BY entry_count DESC`;
  return sqlCall(
    of.database,
    `SELECT ${parts.join(', ')} FROM ${sqlName(of.table)} WHERE ${inWindow(time.name, window)}${group} LIMIT 10`,
    10,
  );
}

/** How many rows have each status; of the window where the rows have a time. */
export function statusCall(of: TableOfInterest, window: Window | null): SqlCall | null {
  const status = statusColumn(of.columns);
  if (status === null) return null;
  const time = timeColumn(of.columns);
  const where = window === null || time === null ? '' : ` WHERE ${inWindow(time.name, window)}`;
  const name = sqlName(status.name);
  return sqlCall(
    of.database,
    `SELECT ${name}, COUNT(*) AS entry_count FROM ${sqlName(of.table)}${where} GROUP BY ${name} ORDER BY entry_count DESC LIMIT 20`,
    20,
  );
}

export function statusColumn(columns: readonly Column[]): Column | null {
  return (
    columns.find((column) => isTextColumn(column) && /(?:^|_)(?:status|state)$/i.test(column.name)) ?? null
  );
}

function durationColumn(columns: readonly Column[]): Column | null {
  return (
    columns.find(
      (column) =>
        isNumberColumn(column) && /duration|query_time|elapsed|_ms$|seconds|_s$|wait/i.test(column.name),
    ) ?? null
  );
}

function shown(columns: readonly Column[]): string {
  const useful = columns.filter((column) => !/blob|binary|geometry|json/.test(column.type));
  return useful
    .slice(0, MAX_SHOWN_COLUMNS)
    .map((column) => sqlName(column.name))
    .join(', ');
}
