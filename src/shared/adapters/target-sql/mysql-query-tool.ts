/**
 * `mysql_query`: one read statement on a MySQL or MariaDB server, checked before it leaves (statement-check), run in a
 * read-only transaction under a time limit of the server's, and really ended there on cancellation (CA-1).
 */
import type { PoolConnection } from 'mysql2';
import type { ToolArgs } from '../../domain/contracts/tools/catalogue.js';
import { SQL_LIMIT, type MysqlQueryScope } from '../../domain/contracts/tools/mysql-query.js';
import type { Clock } from '../../ports/clock.js';
import type { Redact } from '../../ports/redactor.js';
import type { Tool, ToolCatalogue, ToolContext, ToolResult } from '../../ports/tool.js';
import { exchange } from './exchange.js';
import { fitQueryProjection } from './query-projection.js';
import { RowCollector } from './row-collector.js';
import { isServerError, sqlFault } from './sql-fault.js';
import { StatementChecker } from './statement-checker.js';
import { TableCatalogue } from './table-catalogue.js';
import { TargetSessions } from './target-sessions.js';
import { readTargetUrl } from './target-url.js';

const DESCRIPTION =
  'Runs one read statement on the MySQL or MariaDB database: SELECT (joins, WITH, UNION, subqueries), EXPLAIN, DESCRIBE, ' +
  'SHOW TABLES, COLUMNS, INDEX, CREATE TABLE or VIEW, TABLE STATUS, STATUS. Write MySQL syntax and put odd column names ' +
  'in backticks. Count and group in SQL rather than fetching rows: rows holds at most limit of them. BIGINT, COUNT(*) and ' +
  'DECIMAL come as strings, times in UTC. To learn the columns, use DESCRIBE or information_schema.COLUMNS. No rows says ' +
  'only that this statement found none.';
/** No row because the statement itself leaves rows out: that is no complete search, and shows nothing. */
const CUTS_ITSELF = /\bLIMIT 0\b|\bOFFSET (?!0\b)|\bLIMIT [1-9]\d* ?,/i;
const CUT_ITSELF =
  'no row came, and a LIMIT 0 or an OFFSET in the statement may be why, so this shows nothing; ask again without it';
const DEFAULT_STATEMENT_TIMEOUT_MS = 15_000;
const DEFAULT_POOL_SIZE = 8;
const ROLLBACK_TIMEOUT_MS = 3000;

export interface MysqlQueryOptions {
  /** `mysql://user:password@host:port/database?socketPath=…&ssl-mode=…`, of an account that can only read. */
  url: string;
  /** Schemas that may be read; the URL's database when empty. */
  targetSchemas: readonly string[];
  redact: Redact;
  clock: Clock;
  /** Connections at most; 8. */
  poolSize?: number;
  /** The server's own limit on a statement, in milliseconds; 15,000. */
  statementTimeoutMs?: number;
}

type Request = { scope: MysqlQueryScope; sql: string };

class MysqlQueryTool implements Tool<'mysql_query'> {
  readonly name = 'mysql_query';
  readonly description = DESCRIPTION;
  readonly #sessions: TargetSessions;
  readonly #checker = new StatementChecker();
  readonly #catalogue: TableCatalogue;
  readonly #schemas: readonly string[];
  readonly #database: string;

  constructor(private readonly options: MysqlQueryOptions) {
    const { connection, database } = readTargetUrl(options.url);
    this.#schemas =
      options.targetSchemas.length > 0 ? options.targetSchemas : database === undefined ? [] : [database];
    const fallback = database !== undefined && this.#schemas.includes(database) ? database : this.#schemas[0];
    if (fallback === undefined)
      throw new RangeError('TARGET_DATABASE_URL names no database: add one, or set TARGET_SCHEMAS');
    this.#database = fallback;
    this.#sessions = new TargetSessions({
      connection,
      poolSize: options.poolSize ?? DEFAULT_POOL_SIZE,
      statementTimeoutMs: options.statementTimeoutMs ?? DEFAULT_STATEMENT_TIMEOUT_MS,
    });
    this.#catalogue = new TableCatalogue(this.#sessions, this.#schemas, options.clock);
  }

  async run(args: ToolArgs<'mysql_query'>, context: ToolContext): Promise<ToolResult> {
    const request = await this.#request(args, context.signal);
    if ('ok' in request)
      return context.signal.aborted && request.scope !== undefined
        ? interrupted(context.signal, request.scope as MysqlQueryScope, true)
        : request;
    const { scope } = request;
    let connection: PoolConnection | undefined;
    try {
      connection = await this.#sessions.lease(context.signal);
      return await this.#query(connection, request, context);
    } catch (error) {
      const stopped = await this.#giveBack(connection, error);
      if (context.signal.aborted) return interrupted(context.signal, scope, stopped);
      return { ok: false, ...sqlFault(error, this.options.redact), scope };
    }
  }

  async #request(
    args: ToolArgs<'mysql_query'>,
    signal: AbortSignal,
  ): Promise<Request | (ToolResult & { ok: false })> {
    const database = args.database ?? this.#database;
    const asked = args.limit ?? SQL_LIMIT.default;
    const limit = Math.min(SQL_LIMIT.max, Math.max(SQL_LIMIT.min, asked));
    const clamped = limit === asked ? [] : [`limit ${String(asked)} was clamped to ${String(limit)}`];
    const scopeOf = (sql: string): MysqlQueryScope => ({ database, sql, limit, assumptions: clamped });
    const written = this.options.redact(args.sql.replace(/\s+/g, ' '));
    if (!this.#schemas.includes(database)) {
      const message = `the database ${this.options.redact(database)} may not be read; allowed: ${this.#schemas.join(', ')}`;
      return { ok: false, code: 'DENIED', message, scope: { ...scopeOf(written), database: this.#database } };
    }
    const checked = await this.#checker.check(args.sql, { database, schemas: this.#schemas }, signal);
    if (!checked.ok)
      return { ...checked, message: this.options.redact(checked.message), scope: scopeOf(written) };
    return { sql: checked.sql, scope: scopeOf(this.options.redact(checked.sql)) };
  }

  async #query(connection: PoolConnection, request: Request, context: ToolContext): Promise<ToolResult> {
    const { scope, sql } = request;
    const { signal, maxResultBytes } = context;
    const collected = new RowCollector(this.options.redact, scope.limit, maxResultBytes);
    // One row more than is shown tells whether there are more; the server stops there by itself.
    const before = [
      `SET SESSION sql_select_limit = ${String(scope.limit + 1)}`,
      `USE \`${scope.database.replaceAll('`', '``')}\``,
      'START TRANSACTION READ ONLY',
    ];
    for (const statement of before) await exchange(connection, statement, signal);
    const executedAt = this.options.clock.now().toISOString();
    const ending = await exchange(connection, sql, signal, collected);
    if (ending === 'enough') await this.#sessions.stop(connection);
    else await this.#finish(connection, signal);
    const result = { toolCallId: context.toolCallId, scope, executedAt, maxBytes: maxResultBytes };
    const projection = fitQueryProjection(result, collected);
    if (projection && projection.row_count === 0 && CUTS_ITSELF.test(sql))
      return { ok: false, code: 'INVALID_ARGUMENTS', message: CUT_ITSELF, scope };
    if (projection) return { ok: true, projection };
    const message = `the result does not fit into ${String(maxResultBytes)} bytes; select fewer columns`;
    return { ok: false, code: 'TOO_LARGE', message, scope };
  }

  /** Ends the transaction; a connection that does not even do that is not used again. */
  async #finish(connection: PoolConnection, signal: AbortSignal): Promise<void> {
    try {
      await exchange(connection, 'ROLLBACK', signal);
      this.#sessions.release(connection);
    } catch {
      connection.destroy();
    }
  }

  /** After a fault. @returns false when something may still run on the server. */
  async #giveBack(connection: PoolConnection | undefined, error: unknown): Promise<boolean> {
    if (connection === undefined) return true;
    if (!isServerError(error)) return this.#sessions.stop(connection);
    // A server's error leaves the connection in step; the transaction ends with its next START TRANSACTION at the latest.
    await this.#finish(connection, AbortSignal.timeout(ROLLBACK_TIMEOUT_MS));
    return true;
  }

  async catalogue(signal: AbortSignal): Promise<ToolCatalogue> {
    try {
      return { services: [], databases: await this.#catalogue.list(signal) };
    } catch {
      return { services: [], databases: [] };
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#sessions.close(), this.#checker.close()]);
  }
}

function interrupted(signal: AbortSignal, scope: MysqlQueryScope, stopped: boolean): ToolResult {
  const reason: unknown = signal.reason;
  const timedOut = reason instanceof Error && reason.name === 'TimeoutError';
  const doubt = stopped ? '' : '; the server could not be told and ends it at its own time limit';
  return timedOut
    ? {
        ok: false,
        code: 'TIMEOUT',
        message: `the query was stopped when its time was over; narrow it, or use an indexed column${doubt}`,
        scope,
      }
    : { ok: false, code: 'CANCELLED', message: `the query was cancelled${doubt}`, scope };
}

/** @throws {RangeError} when the URL cannot be read or names no schema. Opens nothing. */
export function createMysqlQueryTool(options: MysqlQueryOptions): Tool<'mysql_query'> {
  return new MysqlQueryTool(options);
}
