/**
 * Changes that were recorded, in a table or in a log, and the one that what was seen afterwards speaks of most. Pure.
 */
import { callOf, isDone, resultOf, type CaseView } from '../reading/case-view.js';
import { timeColumn } from '../reading/schema.js';
import { namesWhole } from '../reading/words.js';
import { changeCalls, focusServices } from './log-leads.js';
import { recordTables } from './record-tables.js';
import { newestRowsCall, tableOfInterest } from './sql-calls.js';

export interface Change {
  /** As it stands in the evidence. */
  at: string;
  text: string;
  /** The service that logged it, or the table that keeps it. */
  keeper: string;
  callId: string;
  from: 'log' | 'table';
  /** Listed services and tables that it names. */
  names: readonly string[];
}

/** Every search for changes has been answered. */
export function changesKnown(view: CaseView): boolean {
  // Without a service to look into, the logs are not searched for changes.
  const inLogs = view.offered.has('log_search') && focusServices(view).length > 0;
  const searched = !inLogs || changeCalls(view).every((call) => isDone(view, call));
  return searched && tableCalls(view).every(({ call }) => isDone(view, call));
}

/** Oldest first. */
export function changesRead(view: CaseView): Change[] {
  return [...loggedChanges(view), ...tabledChanges(view)].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/**
 * The change that names what the question or the later warnings name; the newest of those that name as much. A change
 * that shares no name with anything is none.
 */
export function likelyChange(view: CaseView): Change | null {
  const scored = changesRead(view)
    .filter((change) => Date.parse(change.at) < Date.parse(view.window.to))
    .map((change) => ({ change, score: relevance(view, change) }))
    .filter(({ score }) => score > 0);
  scored.sort((a, b) => b.score - a.score || Date.parse(b.change.at) - Date.parse(a.change.at));
  return scored[0]?.change ?? null;
}

function relevance(view: CaseView, change: Change): number {
  const asked = [...view.question.services, ...view.question.tables.map(({ table }) => table)];
  const named = change.names.filter((name) => asked.includes(name)).length;
  const schema = /\bindex\b|\bcolumn\b|\balter\b|\bdrop/i.test(change.text) ? 1 : 0;
  const tables = view.payload.material.databases.flatMap(({ tables: all }) => all);
  const touches = change.names.some((name) => tables.includes(name)) ? 1 : 0;
  const inside = Date.parse(change.at) >= Date.parse(view.before.from) ? 1 : 0;
  return inside === 0 || change.names.length === 0 ? 0 : named * 2 + schema * 2 + touches;
}

function loggedChanges(view: CaseView): Change[] {
  return changeCalls(view).flatMap((call) => {
    const done = callOf(view, call);
    const read = resultOf(view, call);
    if (done === null || read === null) return [];
    return read.entries
      .filter((entry) => entry.level === 'INFO' || entry.level === 'WARN')
      .map((entry): Change => ({
        at: entry.timestamp,
        text: entry.message,
        keeper: entry.service,
        callId: done.id,
        from: 'log',
        names: listedNames(view, entry.message),
      }));
  });
}

function tabledChanges(view: CaseView): Change[] {
  return tableCalls(view).flatMap(({ table, call, time }) => {
    const done = callOf(view, call);
    const read = resultOf(view, call);
    const timeAt = read?.columns.indexOf(time) ?? -1;
    if (done === null || read === null || timeAt < 0) return [];
    return read.rows.flatMap((row): Change[] => {
      const at = row[timeAt];
      const text = longestText(row.filter((_value, index) => index !== timeAt));
      if (typeof at !== 'string' || Number.isNaN(Date.parse(at)) || text === null) return [];
      const whole = row.filter((value) => typeof value === 'string').join(' ');
      return [{ at, text, keeper: table, callId: done.id, from: 'table', names: listedNames(view, whole) }];
    });
  });
}

function tableCalls(view: CaseView) {
  return view.payload.material.databases.flatMap(({ name, tables }) =>
    recordTables(tables)
      .filter(({ kind }) => kind === 'change')
      .flatMap(({ table }) => {
        const of = tableOfInterest(view.schema, name, table);
        const time = of === null ? null : timeColumn(of.columns);
        const call = of === null ? null : newestRowsCall(of);
        return call === null || time === null ? [] : [{ table, call, time: time.name }];
      }),
  );
}

function longestText(values: readonly unknown[]): string | null {
  const texts = values.filter((value) => typeof value === 'string').filter((text) => /[a-z]{3}/i.test(text));
  return texts.sort((a, b) => b.length - a.length)[0] ?? null;
}

/** Services and tables of the material that a text names; tables also inside names such as `idx_orders_customer`. */
export function listedNames(view: CaseView, text: string): string[] {
  const { services, databases } = view.payload.material;
  const tables = databases.flatMap(({ tables: all }) => all);
  return [...new Set([...services, ...tables])].filter(
    (name) => namesWhole(text, name) || (name.length > 3 && tables.includes(name) && insideName(text, name)),
  );
}

function insideName(text: string, table: string): boolean {
  return text
    .toLowerCase()
    .split(/[^a-z0-9_]+/)
    .some((word) => `_${word}_`.includes(`_${table.toLowerCase()}_`));
}
