/** The snapshot as records that a clause can be held against. Pure; the judge's own reading. */
import type {
  EvidenceSnapshot,
  SnapshotEvidence,
  SnapshotItem,
} from '../../shared/domain/prompts/payloads.js';
import { baseOf, instantsIn } from './tokens.js';

export interface EvidenceRecord {
  kind: 'entry' | 'group' | 'row' | 'document' | 'scope';
  /** All that may be read from it, on one line. */
  text: string;
  words: ReadonlySet<string>;
  instants: ReadonlySet<number>;
  /** The record's own time, for entries. */
  at: number | null;
  /** Figures that count something: of the record, and of the whole result. */
  counts: ReadonlySet<string>;
  /** Of a row: its cells by column. */
  cells: ReadonlyMap<string, string>;
  /** Of a log entry: who logged it. */
  service: string | null;
  /** Its place among the records of its kind in its result, from 0. */
  place: number;
  /** The result that it came from. */
  call: SnapshotEvidence;
}

export type AnalysisEvidence = EvidenceSnapshot['analyses'][number];

/** What was found; for a search that found nothing, what was searched. */
export function recordsOf(evidence: AnalysisEvidence): EvidenceRecord[] {
  return evidence.evidence.flatMap((call) => {
    if (call.evidence_status === 'NO_EVIDENCE') return [scopeRecord(call)];
    const places = new Map<string, number>();
    return call.items.map((item) => {
      const kind = kindOf(call, item);
      const place = places.get(kind) ?? 0;
      places.set(kind, place + 1);
      return itemRecord(call, item, kind, place);
    });
  });
}

function kindOf(call: SnapshotEvidence, item: SnapshotItem): EvidenceRecord['kind'] {
  if (call.tool === 'rag_lookup') return 'document';
  if (call.tool === 'mysql_query') return 'row';
  return item.source.startsWith('groups by ') ? 'group' : 'entry';
}

function itemRecord(
  call: SnapshotEvidence,
  item: SnapshotItem,
  kind: EvidenceRecord['kind'],
  place: number,
): EvidenceRecord {
  const cells = kind === 'row' || kind === 'group' ? cellsOf(item.excerpt) : new Map<string, string>();
  const body =
    cells.size === 0 ? item.excerpt : [...cells].map(([column, value]) => `${column} ${value}`).join(' ; ');
  // A row or a group has no time of its own: when it was read says nothing about when anything happened.
  const time = kind === 'entry' ? item.timestamp : '';
  const text = oneLine(`${time} ${body} ${item.source} ${typedScope(call.scope)}`);
  const entry = kind === 'entry' ? /^[A-Z]+ (.*?): /.exec(item.excerpt) : null;
  return {
    kind,
    text,
    words: wordsIn(text),
    instants: instantsIn(text),
    at: kind === 'entry' ? Date.parse(item.timestamp) : null,
    counts: new Set([...resultCounts(call), ...countCells(kind, cells)]),
    cells,
    service: entry?.[1] ?? null,
    place,
    call,
  };
}

function scopeRecord(call: SnapshotEvidence): EvidenceRecord {
  const text = oneLine(Object.values(call.scope).map(scopeText).join(' ')).replaceAll('`', '');
  return {
    kind: 'scope',
    text,
    words: wordsIn(text),
    instants: instantsIn(text),
    at: null,
    counts: new Set(),
    cells: new Map(),
    service: null,
    place: 0,
    call,
  };
}

function scopeText(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  return value !== null && typeof value === 'object' ? Object.values(value).map(scopeText).join(' ') : '';
}

/** Fields that say where a finding was read; free text and conditions say what was looked for, and anchor nothing. */
function typedScope(scope: SnapshotEvidence['scope']): string {
  const fields = ['service', 'level', 'group_by', 'database'].map((name) => scope[name]);
  return [...fields.filter((value) => typeof value === 'string'), ...readTables(scope['sql'])].join(' ');
}

/** Names after FROM and JOIN. */
export function readTables(sql: unknown): string[] {
  if (typeof sql !== 'string') return [];
  return [...sql.matchAll(/\b(?:FROM|JOIN)\s+`?([\w$]+)`?(?:\.`?([\w$]+)`?)?/gi)].map((match) =>
    match[2] === undefined ? (match[1] ?? '') : `${match[1] ?? ''}.${match[2]}`,
  );
}

function cellsOf(excerpt: string): Map<string, string> {
  try {
    const value: unknown = JSON.parse(excerpt);
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return new Map();
    return new Map(
      Object.entries(value).map(([column, cell]) => [column, cell === null ? 'NULL' : String(cell)]),
    );
  } catch {
    return new Map();
  }
}

function resultCounts(call: SnapshotEvidence): string[] {
  return ['matched', 'row_count', 'documents'].flatMap((name) => {
    const value = call.result[name];
    return typeof value === 'number' ? [String(value)] : [];
  });
}

function countCells(kind: EvidenceRecord['kind'], cells: ReadonlyMap<string, string>): string[] {
  const counting = [...cells].filter(
    ([column]) => kind === 'group' || /count|total|sum|num|entries|rows|amount/i.test(column),
  );
  return counting.filter(([column]) => column !== 'key').map(([, value]) => value);
}

export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function wordsIn(text: string): Set<string> {
  return new Set((text.match(/\p{L}[\p{L}’']*/gu) ?? []).map(baseOf));
}

/** True when `value` stands in `text` as a whole: `50` is neither in `1500` nor in `50.5`, nor `11` in `03:02:11`. */
export function standsWhole(text: string, value: string, caseCounts = false): boolean {
  const haystack = caseCounts ? text : text.toLowerCase();
  const needle = caseCounts ? value : value.toLowerCase();
  if (needle === '') return false;
  for (let at = haystack.indexOf(needle); at !== -1; at = haystack.indexOf(needle, at + 1)) {
    if (opensWhole(haystack, at) && closesWhole(haystack, at + needle.length)) return true;
  }
  return false;
}

function opensWhole(text: string, at: number): boolean {
  if (!/\w/.test(text.charAt(at))) return true;
  const before = text.slice(Math.max(0, at - 2), at);
  if (/\w$/.test(before)) return false;
  return !(/\d[.,:-]$/.test(before) && /\d/.test(text.charAt(at)));
}

function closesWhole(text: string, end: number): boolean {
  const last = text.charAt(end - 1);
  if (!/\w/.test(last)) return true;
  const after = text.slice(end, end + 2);
  if (/^\w/.test(after)) return false;
  return !(/\d/.test(last) && /^[.,:-]\d/.test(after));
}
