/** Writes and reads one Run in the time zone of its own process; prints what it read. */
import { openDatabase } from '../../../src/shared/adapters/mysql/database.js';
import { createRunIntake } from '../../../src/shared/adapters/mysql/run-intake.js';
import { createRunReader } from '../../../src/shared/adapters/mysql/run-reader.js';
import { newRun } from './sample-rows.js';

const database = await openDatabase({ url: process.env['DATABASE_URL'] ?? '', poolSize: 2 });
const run = newRun();
await createRunIntake(database).create(run);
const record = await createRunReader(database).run(run.runId);
await database.close();
process.stdout.write(
  JSON.stringify({
    runId: run.runId,
    offset: new Date(2026, 0, 1).getTimezoneOffset(),
    createdAt: record?.view.createdAt,
    window: record?.view.window,
  }),
);
