/**
 * Loads the `sakila` sample database from its script files, once: a mark on a table, written last, says from which files
 * the schema was loaded. A schema of that name on a server of the user's own is only read when it bears that mark.
 */
import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import { StartFault } from '../../src/shared/runtime/start-fault.js';
import { createReader } from '../reader-account.js';
import { sqlStatements } from './sql-script.js';

export const SAKILA_SCHEMA = 'sakila';
const FILES = ['sakila-mv-schema.sql', 'sakila-mv-data.sql'];
const MARKED_TABLE = 'film';

export interface SakilaOptions {
  adminUrl: string;
  /** With the script files. */
  sqlDir: string;
  /** What is on the server may be replaced. */
  ownServer: boolean;
}

/** @returns the URL of a read-only account, with `sakila` as its database. @throws {StartFault} */
export async function loadSakila(options: SakilaOptions): Promise<string> {
  const { adminUrl, sqlDir, ownServer } = options;
  const scripts = await Promise.all(FILES.map((name) => readFile(join(sqlDir, name), 'utf8')));
  const mark = `loaded by sworn from ${createHash('sha256').update(scripts.join('\0')).digest('hex').slice(0, 16)}`;
  const connection = await createConnection({ uri: adminUrl, timezone: 'Z', connectTimeout: 5000 });
  try {
    const state = await schemaState(connection, mark);
    if (state === 'foreign' && !ownServer)
      throw new StartFault(
        `The database server already has a schema ${SAKILA_SCHEMA} of another origin. Rename it, or unset DATABASE_URL so that a server is brought.`,
      );
    if (state !== 'loaded') await load(connection, scripts, mark);
    return await createReader(connection, {
      adminUrl,
      account: 'sworn_sakila_reader',
      password: randomBytes(24).toString('base64url'),
      schema: SAKILA_SCHEMA,
    });
  } finally {
    connection.destroy();
  }
}

async function schemaState(connection: Connection, mark: string): Promise<'absent' | 'loaded' | 'foreign'> {
  const [rows] = await connection.query<RowDataPacket[]>(
    'SELECT TABLE_NAME AS name, TABLE_COMMENT AS comment FROM information_schema.TABLES WHERE TABLE_SCHEMA = ?',
    [SAKILA_SCHEMA],
  );
  const tables = rows as { name: string; comment: string }[];
  if (tables.length === 0) return 'absent';
  return tables.some(({ name, comment }) => name === MARKED_TABLE && comment === mark) ? 'loaded' : 'foreign';
}

/** The scripts make the schema anew by themselves. */
async function load(connection: Connection, scripts: readonly string[], mark: string): Promise<void> {
  for (const script of scripts)
    for (const statement of sqlStatements(script)) await connection.query(statement);
  await connection.query('COMMIT');
  await connection.query(`ALTER TABLE ${SAKILA_SCHEMA}.${MARKED_TABLE} COMMENT = ?`, [mark]);
}
