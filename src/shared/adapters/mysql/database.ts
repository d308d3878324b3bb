/**
 * The connection to sworn's own MySQL or MariaDB: one pool per process, UTC, READ COMMITTED, big numbers as strings.
 * Hot paths are hand-written guarded statements; entities serve migrations, drift checks and the list reads.
 */
import { DataSource, type QueryRunner } from 'typeorm';
import mysql2 from 'mysql2';
import { createConnection, type Connection } from 'mysql2/promise';
import { StoreUnavailable } from '../../ports/errors.js';
import { StartFault } from '../../runtime/start-fault.js';
import { ENTITIES } from './entities.js';
import { isRetryable, refusalOf, translate } from './mysql-errors.js';
import { MIGRATIONS } from './migrations.js';

const ATTEMPTS = 5;
const CONNECT_TIMEOUT_MS = 5000;
/** A server that is gone without a word is noticed within half a minute, by a statement that waits for its answer too. */
const KEEP_ALIVE_MS = 10_000;
const SESSION_DEFAULTS = [
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
  "SET time_zone = '+00:00', innodb_lock_wait_timeout = 5",
];

export type SqlValue = string | number | boolean | Date | null;

/** Of an INSERT, UPDATE or DELETE. `insertId` carries `LAST_INSERT_ID(expr)` too. */
export interface WriteResult {
  affectedRows: number;
  insertId: number;
}

/**
 * Statements on one connection: the pool's next one, or that of a transaction. A statement of its own that meets a
 * deadlock or a lock wait timeout was rolled back whole, and runs again.
 */
export interface Sql {
  query<T>(sql: string, parameters?: readonly SqlValue[]): Promise<T>;
}

export interface Database extends Sql {
  readonly dataSource: DataSource;
  /** Runs the whole of `work` again after a deadlock or lock wait timeout; it must have no effect outside. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  url: string;
  poolSize: number;
}

/**
 * Opens the pool and checks the server.
 * @throws {StoreUnavailable} when the server is out of reach.
 * @throws {StartFault} when it is too old, refuses the account, or has no such database.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const kind = await probe(options.url);
  const dataSource = new DataSource({
    type: kind,
    driver: driverWithSessionDefaults(),
    url: options.url.replace(/^mariadb:/, 'mysql:'),
    entities: [...ENTITIES],
    migrations: [...MIGRATIONS],
    migrationsTableName: 'schema_migration',
    synchronize: false,
    logging: false,
    timezone: 'Z',
    charset: 'utf8mb4_unicode_ci',
    supportBigNumbers: true,
    bigNumberStrings: true,
    connectTimeout: CONNECT_TIMEOUT_MS,
    poolSize: options.poolSize,
    extra: { enableKeepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS, maxIdle: options.poolSize },
  });
  try {
    await dataSource.initialize();
  } catch (error) {
    throw translate(error);
  }
  return wrap(dataSource);
}

/** @returns the driver's type; the two differ in how they describe nullable columns. */
async function probe(url: string): Promise<'mariadb' | 'mysql'> {
  let connection: Connection | undefined;
  try {
    connection = await createConnection({
      uri: url.replace(/^mariadb:/, 'mysql:'),
      connectTimeout: CONNECT_TIMEOUT_MS,
    });
    const [rows] = await connection.query('SELECT VERSION() AS version');
    const version = (rows as { version: string }[])[0]?.version ?? '';
    const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
    const mariadb = /mariadb/i.test(version);
    const fits = mariadb ? major > 10 || (major === 10 && minor >= 11) : major >= 8;
    if (!fits)
      throw new StartFault(`DATABASE_URL leads to ${version}: sworn needs MySQL 8 or MariaDB ≥ 10.11`);
    return mariadb ? 'mariadb' : 'mysql';
  } catch (error) {
    const refusal = refusalOf(error);
    throw refusal === null ? translate(error) : new StartFault(refusal);
  } finally {
    connection?.destroy();
  }
}

/**
 * mysql2, with session settings that each new connection of the pool gets before its first statement. A connection that
 * did not take them is cut: under another isolation level or time zone it would be wrong without a word.
 */
function driverWithSessionDefaults(): object {
  return {
    ...mysql2,
    createPool: (config: mysql2.PoolOptions): mysql2.Pool => {
      const pool = mysql2.createPool(config);
      pool.on('connection', (connection: mysql2.PoolConnection) => {
        for (const statement of SESSION_DEFAULTS)
          connection.query(statement, (error) => {
            if (error !== null) connection.destroy();
          });
      });
      return pool;
    },
  };
}

function wrap(dataSource: DataSource): Database {
  let closed = false;
  const isOpen = (): boolean => !closed;
  return {
    dataSource,
    query: <T>(sql: string, parameters: readonly SqlValue[] = []): Promise<T> =>
      attempted(isOpen, () => dataSource.query<T>(sql, [...parameters])),
    transaction: (work) => attempted(isOpen, () => transact(dataSource, work)),
    close: async () => {
      closed = true;
      if (dataSource.isInitialized) await dataSource.destroy();
    },
  };
}

/** Runs `work` again, whole, while it loses to other transactions; a pool that is closed is a store out of reach. */
async function attempted<T>(isOpen: () => boolean, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    if (!isOpen()) throw new StoreUnavailable('MySQL');
    try {
      return await work();
    } catch (error) {
      if (attempt < ATTEMPTS && isRetryable(error)) continue;
      throw isOpen() ? translate(error) : new StoreUnavailable('MySQL', { cause: error });
    }
  }
}

async function transact<T>(dataSource: DataSource, work: (sql: Sql) => Promise<T>): Promise<T> {
  const runner = dataSource.createQueryRunner();
  try {
    await runner.startTransaction();
    const result = await work(statementsOf(runner));
    await runner.commitTransaction();
    return result;
  } catch (error) {
    await rollBack(runner);
    throw error;
  } finally {
    await runner.release();
  }
}

function statementsOf(runner: QueryRunner): Sql {
  return {
    query: async <T>(sql: string, parameters: readonly SqlValue[] = []): Promise<T> =>
      (await runner.query(sql, [...parameters])) as T,
  };
}

/** A connection that is gone has rolled back by itself. */
async function rollBack(runner: QueryRunner): Promise<void> {
  if (!runner.isTransactionActive) return;
  try {
    await runner.rollbackTransaction();
  } catch {
    // the connection is lost, and the transaction with it
  }
}
