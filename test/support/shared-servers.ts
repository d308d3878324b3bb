/** One pair of throw-away servers for the whole test run, started when first asked for. */
import { createConnection } from 'mysql2/promise';
import { startThrowAwayServers, type ThrowAwayServers } from './servers.js';

let shared: Promise<ThrowAwayServers> | undefined;
let schemas = 0;

export function sharedServers(): Promise<ThrowAwayServers> {
  shared ??= startThrowAwayServers();
  return shared;
}

/** The URL of a fresh, empty schema. */
export async function freshDatabase(): Promise<string> {
  const { adminDatabaseUrl } = await sharedServers();
  schemas += 1;
  const name = `sworn_test_${schemas}`;
  const connection = await createConnection({ uri: adminDatabaseUrl });
  try {
    await connection.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci`);
  } finally {
    await connection.end();
  }
  const url = new URL(adminDatabaseUrl);
  url.pathname = `/${name}`;
  return url.toString();
}

export async function stopSharedServers(): Promise<void> {
  const servers = await shared;
  shared = undefined;
  await servers?.stop();
}
