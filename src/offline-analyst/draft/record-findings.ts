/** Findings out of tables that keep records, of indexes and of row states, for a question about a cause. Pure. */
import type { SqlValue } from '../../shared/domain/contracts/tools/mysql-query.js';
import type { Window } from '../../shared/domain/contracts/window.js';
import { callOf, resultOf, type CaseView, type SqlRead } from '../reading/case-view.js';
import { quote } from '../reading/quotation.js';
import { listedNames } from '../leads/changes.js';
import { recordTables, type RecordKind } from '../leads/record-tables.js';
import {
  indexCall,
  indexesCall,
  rowsInCall,
  statusCall,
  statusColumn,
  summaryCall,
  tableOfInterest,
  type SqlCall,
} from '../leads/sql-calls.js';
import { databaseOfInterest, indexesNamed, spans } from '../leads/sql-leads.js';
import { sqlTime } from '../leads/sql-text.js';
import { checkedEmpty, normal, type Finding } from './finding.js';

export function recordFindings(view: CaseView): Finding[] {
  const database = databaseOfInterest(view);
  if (database === null) return [];
  const tables = view.payload.material.databases.find(({ name }) => name === database)?.tables ?? [];
  const records = recordTables(tables).flatMap(({ table, kind }) =>
    kind === 'change' ? [] : recordsOf(view, database, table, kind),
  );
  return [
    ...records,
    ...indexesNamed(view).flatMap((index) => indexFinding(view, database, index)),
    ...tables.flatMap((table) => [...indexList(view, database, table), ...states(view, database, table)]),
  ];
}

interface Answered {
  id: string;
  read: SqlRead;
}

function answered(view: CaseView, call: SqlCall | null): Answered | null {
  if (call === null) return null;
  const done = callOf(view, call);
  const read = resultOf(view, call);
  return done === null || read === null ? null : { id: done.id, read };
}

function recordsOf(
  view: CaseView,
  database: string,
  table: string,
  kind: Exclude<RecordKind, 'change'>,
): Finding[] {
  const of = tableOfInterest(view.schema, database, table);
  if (of === null) return [];
  const { during, before } = spans(view);
  const now = answered(view, summaryCall(of, during));
  if (now === null) return [];
  const count = Number(cell(now.read, 0, 'entry_count') ?? 0);
  if (now.read.row_count === 0) return [emptySpan(table, during, now.id)];
  if (count === 0) return [];
  const then = answered(view, summaryCall(of, before));
  const earlier = then === null ? null : countFor(then.read, label(now.read));
  const rows = answered(view, rowsInCall(of, during));
  const role = earlier !== null && earlier * 2 >= count ? 'background' : kind;
  const finding = summary(
    view,
    role,
    table,
    now,
    earlier === null ? null : { id: then?.id ?? '', count: earlier },
    rows,
  );
  return then?.read.row_count === 0 ? [finding, emptySpan(table, before, then.id)] : [finding];
}

function summary(
  view: CaseView,
  role: Finding['role'],
  table: string,
  now: Answered,
  earlier: { id: string; count: number } | null,
  rows: Answered | null,
): Finding {
  const { columns } = now.read;
  const name = label(now.read);
  const count = shownValue(cell(now.read, 0, 'entry_count'));
  const first = shownValue(cell(now.read, 0, 'first_seen'));
  const last = shownValue(cell(now.read, 0, 'last_seen'));
  const longest = columns.find((column) => column.startsWith('longest_'));
  const example = rows === null ? null : longestTextOf(rows.read);
  const named = name === null ? '' : ` for ${name}`;
  const sentences = [
    `Table ${table} holds ${count} rows${named}, first_seen ${first}, last_seen ${last}${longest === undefined ? '' : `, ${longest} ${shownValue(cell(now.read, 0, longest))}`}.`,
    ...(earlier === null
      ? []
      : [
          `In the equally long span before, it holds ${earlier.count} rows${earlier.count > 0 ? named : ''}.`,
        ]),
    ...(example === null ? [] : [`Its first row there reads ${example}.`]),
  ];
  const texts =
    rows === null
      ? ''
      : rows.read.rows
          .flat()
          .filter((value) => typeof value === 'string')
          .join('\n');
  return normal(role, {
    text: sentences.join(' '),
    callIds: [
      now.id,
      ...(earlier === null ? [] : [earlier.id]),
      ...(rows === null || example === null ? [] : [rows.id]),
    ],
    short: `table ${table} holds ${count} rows${named} from ${first} on`,
    first,
    names: listedNames(view, `${name ?? ''}\n${texts}`),
  });
}

function emptySpan(table: string, window: Window, id: string): Finding {
  const from = sqlTime(window.from).slice(1, -1);
  const to = sqlTime(window.to).slice(1, -1);
  return checkedEmpty(
    `The search of table ${table} for rows from ${from} to ${to} UTC returned no row.`,
    id,
    `the search of table ${table} for rows from ${from} to ${to} UTC returned no row`,
  );
}

/** Rows before, of the same label where there are labels; null when the list may have left it out. */
function countFor(read: SqlRead, name: string | null): number | null {
  if (read.row_count === 0) return null;
  if (name === null) return Number(cell(read, 0, 'entry_count') ?? 0);
  const at = read.rows.findIndex((row) => row[0] === name);
  return at < 0 ? null : Number(cell(read, at, 'entry_count') ?? 0);
}

/** The grouped value of the first row. */
function label(read: SqlRead): string | null {
  const value = read.columns[0] === 'entry_count' ? null : read.rows[0]?.[0];
  return typeof value === 'string' ? value : null;
}

function cell(read: SqlRead, row: number, column: string): SqlValue | undefined {
  return read.rows[row]?.[read.columns.indexOf(column)];
}

function shownValue(value: SqlValue | undefined): string {
  return value === undefined || value === null ? 'NULL' : String(value);
}

function longestTextOf(read: SqlRead): string | null {
  const texts = (read.rows[0] ?? [])
    .filter((value) => typeof value === 'string')
    .filter((text) => /[a-z]{3}.* /i.test(text));
  return quote(texts.sort((a, b) => b.length - a.length)[0] ?? '', 140);
}

function indexFinding(view: CaseView, database: string, index: string): Finding[] {
  const found = answered(view, indexCall(database, index));
  if (found === null) return [];
  if (found.read.row_count === 0)
    return [
      checkedEmpty(
        `The search of STATISTICS in database ${database} for index ${index} returned no row.`,
        found.id,
        `the search for index ${index} returned no row`,
      ),
    ];
  const table = shownValue(found.read.rows[0]?.[0]);
  // The list of the table's indexes says it too, and more.
  if (callOf(view, indexesCall(database, table)) !== null) return [];
  return [
    normal('index', {
      text: `Index ${index} stands on table ${table} now.`,
      callIds: [found.id],
      names: [table],
    }),
  ];
}

function indexList(view: CaseView, database: string, table: string): Finding[] {
  const found = answered(view, indexesCall(database, table));
  if (found === null || found.read.row_count === 0) return [];
  const byIndex = new Map<string, string[]>();
  for (const row of found.read.rows) {
    const index = shownValue(row[1]);
    byIndex.set(index, [...(byIndex.get(index) ?? []), shownValue(row[3])]);
  }
  const parts = [...byIndex].map(([index, columns]) => `${index} (${columns[0] ?? ''})`);
  return [
    normal('index', {
      text: `Indexes of table ${table} now, with their first column: ${parts.join('; ')}.`,
      callIds: [found.id],
      short: `the indexes of table ${table} now are ${[...byIndex.keys()].join('; ')}`,
      names: [table],
    }),
  ];
}

function states(view: CaseView, database: string, table: string): Finding[] {
  const of = tableOfInterest(view.schema, database, table);
  const status = of === null ? null : statusColumn(of.columns);
  const found = of === null || status === null ? null : answered(view, statusCall(of, view.window));
  if (status === null || found === null || found.read.row_count === 0) return [];
  const parts = found.read.rows.slice(0, 8).map((row) => `${shownValue(row[0])} ${shownValue(row[1])}`);
  return [
    normal('figures', {
      text: `Rows of table ${table} in the window by ${status.name}: ${parts.join('; ')}.`,
      callIds: [found.id],
      short: `rows of table ${table} in the window by ${status.name} are ${parts.slice(0, 4).join('; ')}`,
      names: [table],
    }),
  ];
}
