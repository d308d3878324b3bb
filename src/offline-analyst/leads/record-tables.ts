/** Tables that by their names keep records of changes, slow statements or locks. Pure. */

export type RecordKind = 'change' | 'slow' | 'lock';

const KINDS: readonly (readonly [RecordKind, RegExp])[] = [
  ['change', /migration|deploy|release|changelog|schema_version|schema_history|rollout/i],
  ['slow', /slow/i],
  ['lock', /lock|deadlock|trx|transaction/i],
];
const MAX_OF_KIND = 2;

interface RecordTable {
  table: string;
  kind: RecordKind;
}

/** At most two of a kind; a table has the first kind that fits. */
export function recordTables(tables: readonly string[]): RecordTable[] {
  return KINDS.flatMap(([kind]) =>
    tables
      .filter((table) => kindOf(table) === kind)
      .slice(0, MAX_OF_KIND)
      .map((table) => ({ table, kind })),
  );
}

function kindOf(table: string): RecordKind | null {
  return KINDS.find(([, pattern]) => pattern.test(table))?.[0] ?? null;
}
