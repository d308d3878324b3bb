/** Rows as they arrive, redacted and clipped, until there are enough of them. */
import type { SqlValue } from '../../domain/contracts/tools/mysql-query.js';
import type { Redact } from '../../ports/redactor.js';
import { clipText, isZoneless, readCell, type ColumnType } from './cell-value.js';

export interface ResultColumn extends ColumnType {
  name: string;
  /** Name in its table, empty for an expression. */
  origin: string;
}

interface ViewedColumn extends ResultColumn {
  shownName: string;
  /** Mark that takes the place of every text in a column that holds secrets by its name. */
  secretMark: string | undefined;
}

/** UTF-16 units of a cell that are shown. */
export const MAX_CELL_CHARS = 1024;
const MAX_NAME_CHARS = 256;
/** A value that any rule for `name = value` would take for a secret, if it takes the name for one. */
const PROBE = 'q7Rz2Kx9Wv4Lm8Tn3B';

export type RowBytes = readonly (Buffer | null)[];

export class RowCollector {
  #columns: ViewedColumn[] = [];
  #bytes = 0;
  #first: { text: SqlValue; missing: number }[] = [];
  readonly rows: SqlValue[][] = [];
  /** True once a row came that is not kept. */
  more = false;
  clippedCells = false;

  constructor(
    private readonly redact: Redact,
    private readonly limit: number,
    private readonly maxBytes: number,
  ) {}

  get columns(): string[] {
    return this.#columns.map((column) => column.shownName);
  }

  get zoneless(): boolean {
    return this.#columns.some(isZoneless);
  }

  start(columns: readonly ResultColumn[]): void {
    this.#columns = columns.map((column) => ({
      ...column,
      shownName: clipText(this.redact(column.name), MAX_NAME_CHARS, 0),
      secretMark: this.#secretMark(column.name) ?? this.#secretMark(column.origin),
    }));
  }

  #secretMark(name: string): string | undefined {
    const shown = this.redact(`${name}='${PROBE}'`);
    return /^.*'(\[redacted:[a-z_]+\])'$/s.exec(shown)?.[1];
  }

  /** @returns false when no further row is wanted. */
  add(row: RowBytes): boolean {
    if (this.rows.length >= this.limit || this.#bytes > this.maxBytes) {
      this.more = true;
      return false;
    }
    const cells = this.#columns.map((column, index) => this.#cell(row[index] ?? null, column));
    if (this.rows.length === 0) this.#first = cells;
    const shown = this.#clip(cells, MAX_CELL_CHARS);
    this.rows.push(shown);
    this.#bytes += Buffer.byteLength(JSON.stringify(shown), 'utf8') + 1;
    return true;
  }

  /** The first row with at most so many characters in each cell: for a row that does not fit otherwise. */
  firstRow(maxChars: number): SqlValue[] {
    return this.#clip(this.#first, maxChars);
  }

  /** Secrets are replaced before anything is clipped, so that no half of one stays. */
  #cell(bytes: Buffer | null, column: ViewedColumn): { text: SqlValue; missing: number } {
    const { value, missing } = readCell(bytes, column);
    if (typeof value !== 'string') return { text: value, missing };
    if (column.secretMark !== undefined && value !== '') return { text: column.secretMark, missing: 0 };
    return { text: this.redact(value), missing };
  }

  #clip(cells: readonly { text: SqlValue; missing: number }[], maxChars: number): SqlValue[] {
    return cells.map(({ text, missing }) => {
      if (typeof text !== 'string') return text;
      const clipped = clipText(text, maxChars, missing);
      if (clipped !== text) this.clippedCells = true;
      return clipped;
    });
  }
}
