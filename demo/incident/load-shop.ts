/**
 * Makes the `shop` schema anew on a server, and an account that can read it and nothing else. A schema of that name that
 * the demo did not make is never touched.
 */
import { randomBytes } from 'node:crypto';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import { StartFault } from '../../src/shared/runtime/start-fault.js';
import { createReader } from '../reader-account.js';
import { shopSql } from './shop-sql.js';
import { SHOP_MARK } from './shop-tables.js';

export const SHOP_SCHEMA = 'shop';

/**
 * @param adminUrl of an account that may make schemas and accounts.
 * @returns the read-only account's URL, with `shop` as its database.
 * @throws {StartFault} when a foreign schema `shop` is there.
 */
export async function loadShop(adminUrl: string, now: Date): Promise<string> {
  const connection = await createConnection({ uri: adminUrl, timezone: 'Z', connectTimeout: 5000 });
  try {
    await refuseForeignSchema(connection);
    await connection.query(`DROP DATABASE IF EXISTS ${SHOP_SCHEMA}`);
    await connection.query(`CREATE DATABASE ${SHOP_SCHEMA} CHARACTER SET utf8mb4`);
    await connection.query(`USE ${SHOP_SCHEMA}`);
    for (const statement of shopSql(now)) await connection.query(statement);
    return await createReader(connection, {
      adminUrl,
      account: 'sworn_shop_reader',
      password: randomBytes(24).toString('base64url'),
      schema: SHOP_SCHEMA,
    });
  } finally {
    connection.destroy();
  }
}

/** An empty one, as an interrupted start leaves it, is the demo's too: it has nothing to lose. */
async function refuseForeignSchema(connection: Connection): Promise<void> {
  const [tables] = await connection.query<RowDataPacket[]>(
    'SELECT TABLE_NAME AS name, TABLE_COMMENT AS comment FROM information_schema.TABLES WHERE TABLE_SCHEMA = ?',
    [SHOP_SCHEMA],
  );
  const rows = tables as { name: string; comment: string }[];
  const own = rows.length === 0 || rows.some(({ comment }) => comment === SHOP_MARK);
  if (!own)
    throw new StartFault(
      `The database server already has a schema ${SHOP_SCHEMA} that the demo did not make. Rename it, or unset DATABASE_URL so that the demo brings a server of its own.`,
    );
}
