/** Runs the pending migrations, one process at a time; each statement is re-runnable, since DDL commits by itself. */
import { StartFault } from '../../runtime/start-fault.js';
import type { Database } from './database.js';
import { translate } from './mysql-errors.js';

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

/** True when no migration is pending. */
export async function migrationsCurrent(database: Database): Promise<boolean> {
  return !(await database.dataSource.showMigrations());
}
