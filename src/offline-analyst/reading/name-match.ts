/** Which names of the material a question's words mean. */
import type { Material } from '../../shared/domain/prompts/payloads.js';
import { namesWhole, partsOf, stem } from './words.js';

export interface TableName {
  database: string;
  table: string;
}

/** Parts of names that tell nothing apart. */
const COMMON_PARTS = new Set(
  ['service', 'server', 'api', 'log', 'app', 'worker', 'main', 'node', 'access', 'error'].map(stem),
);
const MIN_PART = 3;

/** Best matches first; a name that stands whole in the text comes before one that shares a part with it. */
export function servicesNamed(
  text: string,
  stems: ReadonlySet<string>,
  services: readonly string[],
): string[] {
  const whole = services.filter((service) => namesWhole(text, service));
  const partly = services.filter((service) => !whole.includes(service) && sharesLeadingPart(service, stems));
  return [...whole, ...partly];
}

/** `OpenSSH_2k` is meant by "OpenSSH", `orders-service` by "order"; `nova.osapi_compute` is not meant by "compute". */
function sharesLeadingPart(service: string, stems: ReadonlySet<string>): boolean {
  const spoken = stem(
    service
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .find((part) => part !== '') ?? '',
  );
  return spoken.length >= MIN_PART && !COMMON_PARTS.has(spoken) && stems.has(spoken);
}

/** Tables whose every part is among the words, then those that share one, most parts first. */
export function tablesNamed(text: string, stems: ReadonlySet<string>, material: Material): TableName[] {
  const scored = material.databases.flatMap((database) =>
    database.tables.map((table) => ({
      database: database.name,
      table,
      score: tableScore(text, table, stems),
    })),
  );
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || order(a.table, b.table))
    .map(({ database, table }) => ({ database, table }));
}

/** 3: named as it is written; 2: all its parts are spoken; 1 or less: some. */
function tableScore(text: string, table: string, stems: ReadonlySet<string>): number {
  if (namesWhole(text, table)) return 3;
  const parts = partsOf(table)
    .map(stem)
    .filter((part) => part.length >= MIN_PART);
  const hits = parts.filter((part) => stems.has(part)).length;
  return parts.length === 0 ? 0 : hits === parts.length ? 2 : hits / parts.length;
}

export function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
