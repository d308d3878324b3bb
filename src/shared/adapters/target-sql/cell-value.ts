/** A cell of a text-protocol result as the contract shows it (EG-10): nothing loses digits, times are RFC 3339. Pure. */
import type { SqlValue } from '../../domain/contracts/tools/mysql-query.js';

/** Of a column definition, what decides how its cells are read (MySQL client/server protocol, column types). */
export interface ColumnType {
  type: number;
  /** Collation number; 63 is `binary`. */
  collation: number;
}

const BINARY_COLLATION = 63;
const SMALL_INTEGERS = new Set([1, 2, 3, 9, 13]);
const FLOATS = new Set([4, 5]);
/** DECIMAL, BIGINT, DATE, TIME, NEWDATE, TIME2, JSON, NEWDECIMAL, ENUM, SET: their text as it is. */
const AS_TEXT = new Set([0, 8, 10, 11, 14, 19, 245, 246, 247, 248]);
const DATE_TIMES = new Set([7, 12, 17, 18]);
const DATETIME = new Set([12, 18]);
/** BIT, VECTOR and GEOMETRY. */
const ALWAYS_BINARY = new Set([16, 242, 255]);
/** Bytes of one cell that are looked at; the rest is counted as clipped. */
const MAX_CELL_BYTES = 65_536;

export interface Cell {
  value: SqlValue;
  /** Bytes of the cell beyond those in `value`. */
  missing: number;
}

/** `2026-01-02 03:04:05.600` as `2026-01-02T03:04:05.600Z`; zero dates, which are no instants, as they are. */
function instant(text: string): string {
  return text.startsWith('0000') || text.slice(5, 10).includes('00')
    ? text
    : `${text.slice(0, 10)}T${text.slice(11)}Z`;
}

function float(text: string): SqlValue {
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

export function isZoneless(column: ColumnType): boolean {
  return DATETIME.has(column.type);
}

/** @param bytes the cell as the server sent it, or null. Times are in UTC, since the session's zone is. */
export function readCell(bytes: Buffer | null, column: ColumnType): Cell {
  if (bytes === null) return { value: null, missing: 0 };
  const { type } = column;
  const missing = Math.max(0, bytes.length - MAX_CELL_BYTES);
  const seen = missing > 0 ? bytes.subarray(0, MAX_CELL_BYTES) : bytes;
  const isText = AS_TEXT.has(type);
  if (ALWAYS_BINARY.has(type) || (!isText && isBinaryString(column)))
    return { value: `0x${seen.toString('hex')}`, missing };
  const text = seen.toString('utf8');
  if (SMALL_INTEGERS.has(type)) return { value: Number(text), missing: 0 };
  if (FLOATS.has(type)) return { value: float(text), missing: 0 };
  if (DATE_TIMES.has(type)) return { value: instant(text), missing: 0 };
  return { value: text, missing };
}

/** BINARY, VARBINARY and the BLOBs. */
function isBinaryString(column: ColumnType): boolean {
  const isString = column.type === 15 || (column.type >= 249 && column.type <= 254);
  return isString && column.collation === BINARY_COLLATION;
}

/** At most `max` UTF-16 units of a text cell, with a mark that says how much is missing; pairs are not cut. */
export function clipText(text: string, max: number, missing: number): string {
  if (text.length <= max && missing === 0) return text;
  const cut = Math.min(max, text.length);
  const code = text.charCodeAt(cut - 1);
  const end = cut < text.length && code >= 0xd800 && code <= 0xdbff ? cut - 1 : cut;
  return `${text.slice(0, end)}… [clipped ${String(text.length - end + missing)}]`;
}
