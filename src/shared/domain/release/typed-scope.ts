/** A scope cut to its typed fields: the free text in it (query, SQL) was written by the model (SE-1). */
import type { TypedScope } from '../contracts/coverage.js';
import { LogLevel } from '../contracts/tools/log-search.js';
import { Window } from '../contracts/window.js';

/** Names that the backends themselves list. */
export interface ListedNames {
  services: ReadonlySet<string>;
  databases: ReadonlySet<string>;
}

export function typedScope(scope: Readonly<Record<string, unknown>>, listed: ListedNames): TypedScope {
  const window = Window.safeParse(scope['window']);
  const level = LogLevel.safeParse(scope['level']);
  const { limit, top_k: topK, service, database } = scope;
  return {
    ...(window.success ? { window: window.data } : {}),
    ...(level.success ? { level: level.data } : {}),
    ...(isInteger(limit) ? { limit } : {}),
    ...(isInteger(topK) ? { top_k: topK } : {}),
    ...(typeof service === 'string' && listed.services.has(service) ? { service } : {}),
    ...(typeof database === 'string' && listed.databases.has(database) ? { database } : {}),
  };
}

function isInteger(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value);
}
