/** Runs the pending migrations, one process at a time; each statement is re-runnable, since DDL commits by itself. */
import { StartFault } from '../../runtime/start-fault.js';
import type { Database } from './database.js';
import { MIGRATIONS } from './migrations.js';
import { isAbsentTable, translate } from './mysql-errors.js';

const LOCK = 'sworn.migrate';
const LOCK_SECONDS = 120;

/** @returns the names of the migrations that ran. @throws {StartFault} when another process migrates for too long. */
export async function migrate(database: Database): Promise<string[]> {
  const runner = database.dataSource.createQueryRunner();
  try {
    const rows = (await runner.query('SELECT GET_LOCK(?, ?) AS held', [LOCK, LOCK_SECONDS])) as {
      held: unknown;
    }[];
    if (Number(rows[0]?.held) !== 1)
      throw new StartFault(
        `Another process has been migrating the database for ${LOCK_SECONDS} s; try again when it is done`,
      );
    try {
      const done = await database.dataSource.runMigrations({ transaction: 'none' });
      return done.map((migration) => migration.name);
    } finally {
      await runner.query('SELECT RELEASE_LOCK(?)', [LOCK]);
    }
  } catch (error) {
    throw translate(error);
  } finally {
    await runner.release();
  }
}

/** True when no migration is pending. Reads alone: it runs in every readiness check, beside whoever migrates. */
export async function migrationsCurrent(database: Database): Promise<boolean> {
  try {
    const rows = await database.query<{ name: string }[]>('SELECT name FROM schema_migration');
    const done = new Set(rows.map(({ name }) => name));
    return MIGRATIONS.every((migration) => done.has(migration.name));
  } catch (error) {
    if (isAbsentTable(error)) return false;
    throw error;
  }
}
