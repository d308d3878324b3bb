/**
 * Where the database leads for a question about a cause: recorded changes, slow statements and locks by the tables'
 * names, and the indexes and states of the tables that the question or the logs name. Pure.
 */
import { messagesRead, sqlReads, type CaseView } from '../reading/case-view.js';
import type { Window } from '../../shared/domain/contracts/window.js';
import { namesWhole } from '../reading/words.js';
import { changesKnown, likelyChange } from './changes.js';
import { recordTables, type RecordKind } from './record-tables.js';
import {
  columnsCall,
  indexCall,
  indexesCall,
  newestRowsCall,
  rowsInCall,
  statusCall,
  summaryCall,
  tableOfInterest,
  type SqlCall,
} from './sql-calls.js';
import { isPlainName } from './sql-text.js';

const DATABASE_WORDS =
  /\bsql\b|\bquer(?:y|ies)\b|\blocks?\b|\bindex(?:es)?\b|\bdatabase\b|\bdeadlock|\btransaction|\bmigrat|\bmysql|\bmariadb|\btables?\b/i;
const MAX_TABLES = 3;
const MAX_INDEXES = 2;

export function sqlLeads(view: CaseView): SqlCall[] {
  if (!view.offered.has('mysql_query')) return [];
  const database = databaseOfInterest(view);
  if (database === null) return [];
  const tables = view.payload.material.databases.find(({ name }) => name === database)?.tables ?? [];
  const records = recordTables(tables);
  const named = tablesOfInterest(view, database, records);
  const leads: (SqlCall | null)[] = [
    columnsCall(database, tables, [...records.map(({ table }) => table), ...named]),
    ...records.flatMap(({ table, kind }) => recordCalls(view, database, table, kind)),
    ...named.map((table) => indexesCall(database, table)),
    ...indexesNamed(view).map((index) => indexCall(database, index)),
    ...named.map((table) => {
      const of = tableOfInterest(view.schema, database, table);
      return of === null ? null : statusCall(of, view.window);
    }),
  ];
  return leads.filter((lead) => lead !== null);
}

/** The database of a named table; else the first, once something speaks of databases. */
export function databaseOfInterest(view: CaseView): string | null {
  const databases = view.payload.material.databases;
  const named = databases.find(({ tables }) =>
    tables.some(
      (table) =>
        namesWhole(view.question.text, table) || messagesRead(view).some((m) => namesWhole(m, table)),
    ),
  );
  if (named !== undefined) return named.name;
  const spoken = [view.question.text, ...messagesRead(view)].some((text) => DATABASE_WORDS.test(text));
  return spoken ? (databases[0]?.name ?? null) : null;
}

/** Business tables that the question or what was read names, most often named first. */
function tablesOfInterest(view: CaseView, database: string, records: readonly { table: string }[]): string[] {
  const texts = [view.question.text, ...messagesRead(view), ...recordTexts(view)];
  const spoken = new Set(
    view.question.tables.filter((name) => name.database === database).map(({ table }) => table),
  );
  const tables = view.payload.material.databases.find(({ name }) => name === database)?.tables ?? [];
  return tables
    .filter((table) => isPlainName(table) && !records.some((record) => record.table === table))
    .map((table) => ({
      table,
      count: texts.filter((text) => namesWhole(text, table)).length + (spoken.has(table) ? 1 : 0),
    }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .slice(0, MAX_TABLES)
    .map(({ table }) => table);
}

/** Text cells of the rows that were read from tables, schema lookups left out. */
function recordTexts(view: CaseView): string[] {
  return sqlReads(view)
    .filter((read) => !/information_schema/i.test(read.scope.sql))
    .flatMap((read) => read.rows.flatMap((row) => row.filter((value) => typeof value === 'string')));
}

/** Changes are read as they stand; slow statements and locks are counted on both sides of the likely change. */
function recordCalls(view: CaseView, database: string, table: string, kind: RecordKind): (SqlCall | null)[] {
  const of = tableOfInterest(view.schema, database, table);
  if (of === null) return [];
  if (kind === 'change') return [newestRowsCall(of)];
  if (!changesKnown(view)) return [];
  const { during, before } = spans(view);
  // Locks are told by their holders and waiters; how it was before is what slow statements need.
  const further = kind === 'slow' ? summaryCall(of, before) : null;
  return [summaryCall(of, during), further, rowsInCall(of, during)];
}

/** What to count in: from the likely change on and as long before it, else the window and the span before it. */
export function spans(view: CaseView): { during: Window; before: Window } {
  const at = likelyChange(view)?.at;
  const to = Date.parse(view.window.to);
  const start = at === undefined ? Number.NaN : Date.parse(at);
  if (!(start < to)) return { during: view.window, before: view.before };
  const from = new Date(start).toISOString();
  return {
    during: { from, to: view.window.to },
    before: { from: new Date(start - (to - start)).toISOString(), to: from },
  };
}

/** Index names that messages or recorded changes speak of. */
export function indexesNamed(view: CaseView): string[] {
  const texts = [...messagesRead(view), ...recordTexts(view)].filter((text) =>
    /\bindex\b|\b(?:idx|ix)_/i.test(text),
  );
  const found = texts.flatMap((text) => [
    ...[...text.matchAll(/\b((?:idx|ix)_[A-Za-z0-9_]+|[A-Za-z0-9_]+_idx)\b/gi)].map(
      (match) => match[1] ?? '',
    ),
    ...[...text.matchAll(/\b(?:drop|add|create) index [`"']?([A-Za-z0-9_]{3,64})/gi)].map(
      (match) => match[1] ?? '',
    ),
  ]);
  return [...new Set(found)]
    .filter((name) => isPlainName(name) && !/^(?:on|if|for|the|from)$/i.test(name))
    .slice(0, MAX_INDEXES);
}
