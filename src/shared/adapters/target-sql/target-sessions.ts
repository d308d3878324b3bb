/**
 * Connections to the target server. Every one is pinned before its first use: SQL mode, UTC, read-only transactions, a
 * server-side time limit; a connection that cannot be pinned is not used. No LOAD DATA LOCAL, no multiple statements.
 */
import { createConnection, createPool, type ConnectionOptions, type Pool, type PoolConnection } from 'mysql2';
import { exchange, type RowSink } from './exchange.js';

const CONNECT_TIMEOUT_MS = 5000;
const KILL_TIMEOUT_MS = 3000;
const IDLE_TIMEOUT_MS = 60_000;
/** Longer than any cell that is shown, so that the server's own cut does not go unseen. */
const GROUP_CONCAT_MAX_LEN = 65_536;
const SQL_MODE = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION';

export interface TargetSessionsOptions {
  connection: ConnectionOptions;
  poolSize: number;
  /** The server ends a statement after this many milliseconds by itself. */
  statementTimeoutMs: number;
}

/** Statements that pin a session. MySQL has a time limit for SELECT in ms, MariaDB one for all statements in s. */
export function pinStatements(version: string, statementTimeoutMs: number): string[] {
  const mariadb = /mariadb/i.test(version);
  const seconds = statementTimeoutMs / 1000;
  // MariaDB does not know functional dependencies: with ONLY_FULL_GROUP_BY it would refuse `SELECT name … GROUP BY id`.
  const mode = mariadb ? SQL_MODE : `ONLY_FULL_GROUP_BY,${SQL_MODE}`;
  const limit = mariadb
    ? `max_statement_time = ${seconds.toFixed(3)}`
    : `max_execution_time = ${String(Math.ceil(statementTimeoutMs))}`;
  return [
    `SET SESSION sql_mode = '${mode}', SESSION time_zone = '+00:00', ` +
      `SESSION group_concat_max_len = ${String(GROUP_CONCAT_MAX_LEN)}, ` +
      `SESSION lock_wait_timeout = ${String(Math.max(1, Math.ceil(seconds)))}, SESSION ${limit}`,
    'SET SESSION TRANSACTION READ ONLY',
  ];
}

export class TargetSessions {
  readonly #config: ConnectionOptions;
  readonly #pinned = new WeakSet<PoolConnection>();
  #pool: Pool | undefined;
  #closed = false;

  constructor(private readonly options: TargetSessionsOptions) {
    this.#config = {
      ...options.connection,
      charset: 'utf8mb4_unicode_ci',
      timezone: 'Z',
      connectTimeout: CONNECT_TIMEOUT_MS,
      multipleStatements: false,
      // A parser compiled per statement would be kept for ever; statements here are rarely the same.
      disableEval: true,
      flags: ['-LOCAL_FILES', '-IGNORE_SPACE'],
    };
  }

  /** @throws the signal's reason, or the client's error. The caller gives it back by `release` or `stop`. */
  async lease(signal: AbortSignal): Promise<PoolConnection> {
    const connection = await this.#connect(signal);
    if (this.#pinned.has(connection)) return connection;
    try {
      let version = '';
      const sink: RowSink = {
        start: () => undefined,
        add: ([bytes]) => {
          version = bytes?.toString('utf8') ?? '';
          return true;
        },
      };
      await exchange(connection, 'SELECT VERSION()', signal, sink);
      for (const sql of pinStatements(version, this.options.statementTimeoutMs))
        await exchange(connection, sql, signal);
    } catch (error) {
      connection.destroy();
      throw error;
    }
    this.#pinned.add(connection);
    return connection;
  }

  release(connection: PoolConnection): void {
    connection.release();
  }

  /**
   * Ends whatever the connection still does, on the server too, and the connection with it.
   * @returns false when the server could not be told; its own time limit then ends the statement.
   */
  async stop(connection: PoolConnection): Promise<boolean> {
    const thread = connection.threadId;
    connection.destroy();
    return this.#kill(thread);
  }

  async close(): Promise<void> {
    this.#closed = true;
    const pool = this.#pool;
    this.#pool = undefined;
    if (pool) await new Promise<void>((resolve) => pool.end(() => resolve()));
  }

  #open(): Pool {
    if (this.#closed) throw new Error('the tool is closed');
    return (this.#pool ??= createPool({
      ...this.#config,
      connectionLimit: this.options.poolSize,
      maxIdle: Math.min(2, this.options.poolSize),
      idleTimeout: IDLE_TIMEOUT_MS,
      enableKeepAlive: true,
    }));
  }

  /** A connection that comes after the signal goes back at once. */
  #connect(signal: AbortSignal): Promise<PoolConnection> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const onAbort = () => reject(signal.reason as Error);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#open().getConnection((error, connection) => {
        signal.removeEventListener('abort', onAbort);
        if (error) reject(error);
        else if (signal.aborted) connection.release();
        else resolve(connection);
      });
    });
  }

  /** From a connection of its own, since every one of the pool may be busy. The ID is a number, never text. */
  #kill(thread: number): Promise<boolean> {
    return new Promise((resolve) => {
      const killer = createConnection(this.#config);
      const finish = (told: boolean) => {
        clearTimeout(timer);
        killer.destroy();
        resolve(told);
      };
      const timer = setTimeout(() => finish(false), KILL_TIMEOUT_MS);
      // A late fault of the destroyed connection has nobody left to tell.
      killer.on('error', () => finish(false));
      killer.query(`KILL QUERY ${String(Math.trunc(thread))}`, (error) => {
        // 1094: the thread has ended already.
        finish(error === null || error.errno === 1094);
      });
    });
  }
}
