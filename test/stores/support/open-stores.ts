/** Every MySQL store over one fresh, migrated schema. */
import { openDatabase, type Database } from '../../../src/shared/adapters/mysql/database.js';
import { migrate } from '../../../src/shared/adapters/mysql/migrate.js';
import { createRunIntake, createSessionHistory } from '../../../src/shared/adapters/mysql/run-intake.js';
import { createRunReader } from '../../../src/shared/adapters/mysql/run-reader.js';
import { createRunStore } from '../../../src/shared/adapters/mysql/run-store.js';
import { createRunSweep } from '../../../src/shared/adapters/mysql/run-sweep.js';
import { createTokenStore } from '../../../src/shared/adapters/mysql/token-store.js';
import type { NewRun, RunIntake, RunReader } from '../../../src/shared/ports/run-intake.js';
import type { TokenStore } from '../../../src/shared/ports/access.js';
import type { Fence, RunStore, RunSweep, SessionHistory } from '../../../src/shared/ports/run-store.js';
import { freshDatabase } from '../../support/shared-servers.js';
import { AT, newRun } from './sample-rows.js';

export interface TestStores {
  url: string;
  database: Database;
  intake: RunIntake;
  store: RunStore;
  reader: RunReader;
  history: SessionHistory;
  sweep: RunSweep;
  tokens: TokenStore;
  /** A new Run, QUEUED. @returns its ID. */
  create(change?: Partial<NewRun>): Promise<string>;
  /** A new Run, taken up. @returns the fence of its claim. */
  begin(change?: Partial<NewRun>): Promise<Fence>;
  /** The next claim of a Run; fails when it is refused. */
  claim(runId: string, purpose?: 'diagnose' | 'review' | 'cancel'): Promise<Fence>;
  close(): Promise<void>;
}

export async function openTestStores(): Promise<TestStores> {
  const url = await freshDatabase();
  const database = await openDatabase({ url, poolSize: 8 });
  await migrate(database);
  const intake = createRunIntake(database);
  const store = createRunStore(database);
  const create = async (change: Partial<NewRun> = {}): Promise<string> => {
    const run = newRun(change);
    if ((await intake.create(run)) !== 'created') throw new Error('the Run was not created');
    return run.runId;
  };
  const claim: TestStores['claim'] = async (runId, purpose = 'diagnose') => {
    const claimed = await store.claim(runId, purpose, null, AT);
    if (!claimed.ok) throw new Error(`the claim was refused: ${claimed.reason}`);
    return { runId, epoch: claimed.run.epoch };
  };
  return {
    url,
    database,
    intake,
    store,
    reader: createRunReader(database),
    history: createSessionHistory(database),
    sweep: createRunSweep(database),
    tokens: createTokenStore(database),
    create,
    begin: async (change) => claim(await create(change)),
    claim,
    close: () => database.close(),
  };
}
