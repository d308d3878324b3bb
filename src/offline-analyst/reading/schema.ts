/** What information_schema lookups told about tables: columns and foreign keys. Pure. */
import type { Projection } from '../../shared/domain/contracts/tools/catalogue.js';
import { partsOf, stem } from './words.js';

type SqlRead = Extract<Projection, { tool: 'mysql_query' }>;

export interface Column {
  name: string;
  /** Lower case, e.g. `varchar`, `decimal`. */
  type: string;
}

export interface ForeignKey {
  table: string;
  column: string;
  referencedTable: string;
  referencedColumn: string;
}

export interface Schema {
  /** By `database.table`, columns in their order. */
  columns: ReadonlyMap<string, readonly Column[]>;
  foreignKeys: readonly (ForeignKey & { database: string })[];
}

export const COLUMN_LIST = ['TABLE_SCHEMA', 'TABLE_NAME', 'COLUMN_NAME', 'DATA_TYPE'] as const;
export const KEY_LIST = [
  'TABLE_SCHEMA',
  'TABLE_NAME',
  'COLUMN_NAME',
  'REFERENCED_TABLE_NAME',
  'REFERENCED_COLUMN_NAME',
] as const;

export function readSchema(reads: readonly SqlRead[]): Schema {
  const columns = new Map<string, Column[]>();
  const foreignKeys: (ForeignKey & { database: string })[] = [];
  for (const read of reads) {
    if (hasColumns(read, COLUMN_LIST)) {
      for (const [database, table, name, type] of textRows(read))
        addColumn(columns, `${database}.${table}`, name, type);
    } else if (hasColumns(read, KEY_LIST)) {
      for (const [database, table, column, referencedTable, referencedColumn] of textRows(read))
        foreignKeys.push({ database, table, column, referencedTable, referencedColumn });
    }
  }
  return { columns, foreignKeys };
}

export function columnsOf(schema: Schema, database: string, table: string): readonly Column[] {
  return schema.columns.get(`${database}.${table}`) ?? [];
}

function isTimeColumn(column: Column): boolean {
  return column.type === 'datetime' || column.type === 'timestamp';
}

export function isNumberColumn(column: Column): boolean {
  return /^(?:decimal|numeric|float|double|(?:tiny|small|medium|big)?int)$/.test(column.type);
}

export function isTextColumn(column: Column): boolean {
  return /^(?:varchar|char|enum|set|(?:tiny|medium|long)?text)$/.test(column.type);
}

/** The time at which a row came to be, as far as names tell: creation and start before update and end. */
export function timeColumn(columns: readonly Column[]): Column | null {
  const times = columns.filter(isTimeColumn);
  const rank = (name: string): number => {
    if (/creat|start|begin|appl|insert|placed|occur|execut|install|order/i.test(name)) return 0;
    if (/updat|modif|end|finish|delet|expire|return/i.test(name)) return 2;
    return 1;
  };
  return [...times].sort((a, b) => rank(a.name) - rank(b.name))[0] ?? null;
}

/** A column that people read to know a row by. */
export function labelColumn(columns: readonly Column[]): Column | null {
  const texts = columns.filter(isTextColumn);
  const named = texts.find((column) => /^(?:name|title|label)$|(?:_name|_title|_label)$/i.test(column.name));
  return named ?? texts[0] ?? null;
}

export function stemsOfName(name: string): string[] {
  return partsOf(name).map(stem);
}

function addColumn(columns: Map<string, Column[]>, key: string, name: string, type: string): void {
  const known = columns.get(key) ?? [];
  if (known.some((column) => column.name === name)) return;
  columns.set(key, [...known, { name, type: type.toLowerCase() }]);
}

function hasColumns(read: SqlRead, names: readonly string[]): boolean {
  return (
    read.columns.length === names.length &&
    names.every((name, at) => read.columns[at]?.toUpperCase() === name)
  );
}

/** Rows of names; one that is not all text is left out. Five cells at most are used. */
function textRows(read: SqlRead): [string, string, string, string, string][] {
  return read.rows
    .filter((row) => row.every((value) => typeof value === 'string'))
    .map((row) => [cell(row, 0), cell(row, 1), cell(row, 2), cell(row, 3), cell(row, 4)]);
}

function cell(row: readonly unknown[], at: number): string {
  const value = row[at];
  return typeof value === 'string' ? value : '';
}
