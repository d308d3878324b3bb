/**
 * The ProgressSnapshot (RP-8): what was really checked, from READY canonical records alone. Facts follow a template over
 * typed fields; no word of a model is in them.
 */
import type { VerifiedSource } from '../contracts/report.js';
import type { TypedScope } from '../contracts/coverage.js';
import type { Projection } from '../contracts/tools/catalogue.js';
import type { ReadyRecord } from '../guards/canonical-record.js';
import { typedScope, type ListedNames } from './typed-scope.js';

export interface ProgressSnapshot {
  sources: VerifiedSource[];
  facts: string[];
}

const MAX_SOURCES_PER_CHECK = 10;

export function progressSnapshot(records: readonly ReadyRecord[], listed: ListedNames): ProgressSnapshot {
  return {
    sources: records.flatMap((record) => verifiedSources(record, listed)),
    facts: records.map((record) => observedFact(record.projection, listed)),
  };
}

/** The places that a check read, each once. */
export function verifiedSources(record: ReadyRecord, listed: ListedNames): VerifiedSource[] {
  const { projection, finishedAt, tool } = record;
  const scope = typedScope(projection.scope, listed);
  const places = placesOf(projection, scope, finishedAt);
  const seen = new Set<string>();
  return places
    .filter(({ source }) => !seen.has(source) && seen.add(source))
    .slice(0, MAX_SOURCES_PER_CHECK)
    .map(({ source, timestamp }) => ({ tool, source, scope, timestamp }));
}

interface Place {
  source: string;
  timestamp: string;
}

function placesOf(projection: Projection, scope: TypedScope, finishedAt: string): Place[] {
  switch (projection.tool) {
    case 'rag_lookup':
      if (projection.documents.length === 0) return [{ source: 'knowledge base', timestamp: finishedAt }];
      return projection.documents.map((item) => ({ source: item.source, timestamp: item.updated_at }));
    case 'log_search':
      if (projection.entries.length === 0)
        return [{ source: scope.service ?? 'logs', timestamp: finishedAt }];
      return projection.entries.map((entry) => ({
        source: fileOf(entry.source),
        timestamp: entry.timestamp,
      }));
    case 'mysql_query':
      return [{ source: scope.database ?? 'database', timestamp: projection.executed_at }];
  }
}

/** `checkout.log:120` is line 120 of `checkout.log`. */
function fileOf(source: string): string {
  return source.replace(/:\d+$/, '');
}

export function observedFact(projection: Projection, listed: ListedNames): string {
  const scope = typedScope(projection.scope, listed);
  switch (projection.tool) {
    case 'rag_lookup':
      return projection.documents.length === 0
        ? 'rag_lookup: no document of the knowledge base was relevant enough'
        : `rag_lookup: ${counted(projection.documents.length, 'document', 'documents')} found`;
    case 'log_search':
      return `log_search ${span(scope)}${filters(scope)}: ${
        projection.matched === 0
          ? 'no matching entry in this search; that does not show that nothing is wrong'
          : `${counted(projection.matched, 'matching entry', 'matching entries')}${projection.truncated ? ' (not all are listed)' : ''}`
      }`;
    case 'mysql_query':
      return `mysql_query${scope.database === undefined ? '' : ` in database ${scope.database}`}: ${
        projection.row_count === 0
          ? 'no row matched this query; that does not show that nothing is wrong'
          : `${counted(projection.row_count, 'row', 'rows')}${projection.truncated ? ' (more exist)' : ''}`
      }`;
  }
}

function span(scope: TypedScope): string {
  return scope.window === undefined ? '' : `from ${scope.window.from} to ${scope.window.to}`;
}

function filters(scope: TypedScope): string {
  const parts = [
    ...(scope.service === undefined ? [] : [`service ${scope.service}`]),
    ...(scope.level === undefined ? [] : [`level ${scope.level} and above`]),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
