/** The shortest way between two tables along foreign keys. Pure, deterministic: equal ways go by name. */
import { order } from '../reading/name-match.js';
import type { ForeignKey, Schema } from '../reading/schema.js';
import { stemsOfName } from '../reading/schema.js';
import { isPlainName } from './sql-text.js';

/** `table.column` joins `otherTable.otherColumn`, which is on the way already. */
export interface Join {
  table: string;
  column: string;
  otherTable: string;
  otherColumn: string;
}

const MAX_JOINS = 6;

/** Joins in order from `from` to `to`; null when no way of at most six joins leads there. */
export function joinPath(schema: Schema, database: string, from: string, to: string): Join[] | null {
  const keys = keysOf(schema, database);
  const reached = new Map<string, Join[]>([[from, []]]);
  const queue = [from];
  for (let at = 0; at < queue.length; at += 1) {
    const here = queue[at] ?? '';
    const way = reached.get(here) ?? [];
    if (here === to) return way;
    if (way.length >= MAX_JOINS) continue;
    for (const join of joinsFrom(keys, here)) {
      if (reached.has(join.table)) continue;
      reached.set(join.table, [...way, join]);
      queue.push(join.table);
    }
  }
  return null;
}

function joinsFrom(keys: readonly ForeignKey[], here: string): Join[] {
  const joins = keys.flatMap((key): Join[] => {
    if (key.table === here)
      return [
        {
          table: key.referencedTable,
          column: key.referencedColumn,
          otherTable: here,
          otherColumn: key.column,
        },
      ];
    if (key.referencedTable === here)
      return [{ table: key.table, column: key.column, otherTable: here, otherColumn: key.referencedColumn }];
    return [];
  });
  return joins.sort((a, b) => order(a.table, b.table) || order(a.column, b.column));
}

/** Declared keys; where a schema declares none, `film_id` is taken to point to `film`, and `order_id` to `orders`. */
function keysOf(schema: Schema, database: string): ForeignKey[] {
  const declared = schema.foreignKeys.filter((key) => key.database === database);
  const keys = declared.length > 0 ? declared : guessedKeys(schema, database);
  return keys.filter((key) =>
    [key.table, key.column, key.referencedTable, key.referencedColumn].every(isPlainName),
  );
}

function guessedKeys(schema: Schema, database: string): ForeignKey[] {
  const prefix = `${database}.`;
  const tables = [...schema.columns]
    .filter(([key]) => key.startsWith(prefix))
    .map(([key, columns]) => ({ name: key.slice(prefix.length), columns }));
  return tables.flatMap(({ name, columns }) =>
    columns
      .filter((column) => /_id$/i.test(column.name))
      .flatMap((column) => {
        const noun = stemsOfName(column.name.slice(0, -3)).join(' ');
        const target = tables.find(
          (other) => other.name !== name && stemsOfName(other.name).join(' ') === noun,
        );
        const key = target?.columns.find((other) => other.name === column.name || other.name === 'id');
        if (target === undefined || key === undefined) return [];
        return [
          { table: name, column: column.name, referencedTable: target.name, referencedColumn: key.name },
        ];
      }),
  );
}
