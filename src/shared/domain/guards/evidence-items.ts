/**
 * A projection as records of evidence (EG-10): each with its stable source, its time, and an exact excerpt or bounded
 * values. A record without a time of its own takes the time at which the canonical invocation ended.
 */
import type { Projection } from '../contracts/tools/catalogue.js';
import type { SqlValue } from '../contracts/tools/mysql-query.js';
import type { SnapshotItem } from '../prompts/payloads.js';
import type { ReadyRecord } from './canonical-record.js';
import { canonicalJson } from './canonical-json.js';

type Sql = Extract<Projection, { tool: 'mysql_query' }>;

export function evidenceItems(record: ReadyRecord): SnapshotItem[] {
  const { projection, finishedAt } = record;
  switch (projection.tool) {
    case 'rag_lookup':
      return projection.documents.map((document) => ({
        source: `${document.source} (${document.title})`,
        timestamp: document.updated_at,
        excerpt: document.excerpt,
      }));
    case 'log_search':
      return [
        ...(projection.groups ?? []).map(({ key, count }) => ({
          source: `groups by ${projection.scope.group_by ?? 'key'}`,
          timestamp: finishedAt,
          excerpt: canonicalJson({ key, count }),
        })),
        ...projection.entries.map((entry) => ({
          source: entry.source,
          timestamp: entry.timestamp,
          excerpt: `${entry.level} ${entry.service}: ${entry.message}`,
        })),
      ];
    case 'mysql_query': {
      const names = uniqueNames(projection.columns);
      return projection.rows.map((row) => ({
        source: projection.scope.database,
        timestamp: projection.executed_at,
        excerpt: rowText(names, row),
      }));
    }
  }
}

/** Counts and flags of the result: they are evidence too, e.g. that 370 entries matched. */
export function resultFacts(projection: Projection): Record<string, number | boolean> {
  switch (projection.tool) {
    case 'rag_lookup':
      return { documents: projection.documents.length, truncated: projection.truncated };
    case 'log_search':
      return { matched: projection.matched, truncated: projection.truncated };
    case 'mysql_query':
      return { row_count: projection.row_count, truncated: projection.truncated };
  }
}

/** A row as JSON text in column order, so that it reads as the statement asked. */
function rowText(names: readonly string[], row: readonly SqlValue[]): string {
  const parts = names.map((name, index) => `${JSON.stringify(name)}:${JSON.stringify(row[index] ?? null)}`);
  return `{${parts.join(',')}}`;
}

/** Columns of one name (`SELECT a.id, b.id`) stay apart by a number that no other column has: `id`, `id#2`. */
function uniqueNames(columns: Sql['columns']): string[] {
  const taken = new Set(columns);
  const seen = new Set<string>();
  return columns.map((column) => {
    let name = column;
    for (let number = 2; seen.has(name); number += 1) {
      const candidate = `${column}#${number}`;
      if (!taken.has(candidate)) name = candidate;
    }
    seen.add(name);
    taken.add(name);
    return name;
  });
}
