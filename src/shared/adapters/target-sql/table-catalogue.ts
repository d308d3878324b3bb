/** The tables and views of the schemas that may be read, for half a minute. */
import type { Clock } from '../../ports/clock.js';
import type { ToolCatalogue } from '../../ports/tool.js';
import { exchange } from './exchange.js';
import type { TargetSessions } from './target-sessions.js';

const TTL_MS = 30_000;
const MAX_TABLES = 1000;

type Databases = ToolCatalogue['databases'];

/** Schema names come from the configuration; still they are quoted as data. */
function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, (char) => char + char)}'`;
}

export class TableCatalogue {
  #known: { databases: Databases; until: number } | undefined;

  constructor(
    private readonly sessions: TargetSessions,
    private readonly schemas: readonly string[],
    private readonly clock: Clock,
  ) {}

  /** @throws when the server cannot be asked. */
  async list(signal: AbortSignal): Promise<Databases> {
    const now = this.clock.now().getTime();
    if (this.#known !== undefined && this.#known.until > now) return this.#known.databases;
    const tables = await this.#read(signal);
    const databases = this.schemas
      .filter((name) => tables.has(name))
      .map((name) => ({ name, tables: tables.get(name) ?? [] }));
    this.#known = { databases, until: now + TTL_MS };
    return databases;
  }

  async #read(signal: AbortSignal): Promise<Map<string, string[]>> {
    const tables = new Map<string, string[]>();
    const connection = await this.sessions.lease(signal);
    try {
      await exchange(
        connection,
        `SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES
         WHERE TABLE_SCHEMA IN (${this.schemas.map(quoted).join(', ')})
         ORDER BY TABLE_SCHEMA, TABLE_NAME LIMIT ${String(MAX_TABLES)}`,
        signal,
        {
          start: () => undefined,
          add: ([schema, table]) => {
            const name = schema?.toString('utf8') ?? '';
            const names = tables.get(name) ?? [];
            names.push(table?.toString('utf8') ?? '');
            tables.set(name, names);
            return true;
          },
        },
      );
    } catch (error) {
      await this.sessions.stop(connection);
      throw error;
    }
    this.sessions.release(connection);
    return tables;
  }
}
