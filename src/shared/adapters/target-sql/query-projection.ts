/** The rows of a query as they leave: within their bytes, on row boundaries, with everything left out said (IV-3). Pure. */
import type { MysqlQueryProjection, MysqlQueryScope } from '../../domain/contracts/tools/mysql-query.js';
import { MAX_CELL_CHARS, type RowCollector } from './row-collector.js';

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value), 'utf8');
}

function notes(scope: MysqlQueryScope, collected: RowCollector, cellChars: number): string[] {
  const said = [...scope.assumptions];
  if (collected.zoneless) said.push('DATETIME values carry no zone and are shown as UTC');
  if (collected.clippedCells)
    said.push(`cells longer than ${String(cellChars)} characters are clipped and say so`);
  return said;
}

export interface QueryResult {
  toolCallId: string;
  scope: MysqlQueryScope;
  executedAt: string;
  maxBytes: number;
}

function withRows(
  result: QueryResult,
  collected: RowCollector,
  rows: MysqlQueryProjection['rows'],
  chars: number,
) {
  const truncated = collected.more || rows.length < collected.rows.length;
  const assumptions = notes(result.scope, collected, chars);
  if (truncated) {
    const why = rows.length < result.scope.limit ? ': further ones do not fit into the result' : '';
    assumptions.push(`only the first ${String(rows.length)} rows are shown, more exist${why}`);
  }
  const projection: MysqlQueryProjection = {
    tool: 'mysql_query',
    tool_call_id: result.toolCallId,
    evidence_status: rows.length > 0 ? 'EVIDENCE_FOUND' : 'NO_EVIDENCE',
    scope: { ...result.scope, assumptions },
    columns: collected.columns,
    rows,
    row_count: rows.length,
    truncated,
    executed_at: result.executedAt,
  };
  return projection;
}

/** Undefined when not even one row fits, however short its cells. */
export function fitQueryProjection(
  result: QueryResult,
  collected: RowCollector,
): MysqlQueryProjection | undefined {
  const all = withRows(result, collected, collected.rows, MAX_CELL_CHARS);
  if (jsonBytes(all) <= result.maxBytes) return all;
  const empty = withRows(result, collected, [], MAX_CELL_CHARS);
  // The sentence about the rows shown may grow by a few digits.
  let left = result.maxBytes - jsonBytes(empty) - 16;
  let fitting = 0;
  for (const row of collected.rows) {
    left -= jsonBytes(row) + 1;
    if (left < 0) break;
    fitting++;
  }
  if (fitting > 0) return withRows(result, collected, collected.rows.slice(0, fitting), MAX_CELL_CHARS);
  if (collected.rows.length === 0) return undefined;
  for (let chars = MAX_CELL_CHARS / 2; chars >= 16; chars /= 2) {
    const one = withRows(result, collected, [collected.firstRow(chars)], chars);
    if (jsonBytes(one) <= result.maxBytes) return one;
  }
  return undefined;
}
