/** An account that may read one schema: the last line behind the checks that each statement passes. */
import type { Connection } from 'mysql2/promise';

export interface ReaderOptions {
  adminUrl: string;
  account: string;
  /** Random; it lives as long as this start. */
  password: string;
  schema: string;
}

/** Makes the account anew. @returns its URL, with the schema as its database. */
export async function createReader(connection: Connection, options: ReaderOptions): Promise<string> {
  const { adminUrl, account, password, schema } = options;
  await connection.query(`DROP USER IF EXISTS ?@'%'`, [account]);
  await connection.query(`CREATE USER ?@'%' IDENTIFIED BY ?`, [account, password]);
  await connection.query(`GRANT SELECT, SHOW VIEW ON ${schema}.* TO ?@'%'`, [account]);
  const url = new URL(adminUrl.replace(/^mariadb:/, 'mysql:'));
  url.username = account;
  url.password = password;
  url.pathname = `/${schema}`;
  return url.toString();
}
