/** Migrations on a real server: once, again, half done, by several processes, and without drift. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { openDatabase, type Database } from '../../src/shared/adapters/mysql/database.js';
import { migrate, migrationsCurrent } from '../../src/shared/adapters/mysql/migrate.js';
import { MIGRATIONS } from '../../src/shared/adapters/mysql/migrations.js';
import { Runs1764500000001 } from '../../migrations/1764500000001-runs.js';
import { freshDatabase } from '../support/shared-servers.js';

const CLI = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
const NAMES = MIGRATIONS.map(({ name }) => name);
const TABLES = ['agent_step', 'api_token', 'chat_session', 'diagnosis_run', 'tool_invocation'];

describe('SR-1 SR-7 migrations', function () {
  this.timeout(30_000);
  let url: string;
  let database: Database;
  beforeEach(async () => {
    url = await freshDatabase();
    database = await openDatabase({ url, poolSize: 4 });
  });
  afterEach(() => database.close());

  const tables = async (): Promise<string[]> =>
    (
      await database.query<{ name: string }[]>(
        'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()',
      )
    ).map(({ name }) => name);

  it('SR-1 makes the tables once; a second time there is nothing to do', async () => {
    expect(await migrate(database)).to.deep.equal(NAMES);
    expect(await tables()).to.include.members(TABLES);
    expect(await migrate(database)).to.deep.equal([]);
  });

  it('SR-1 a readiness check only reads: behind before, current after, and it makes no table', async () => {
    expect(await migrationsCurrent(database)).to.equal(false);
    expect(await tables()).to.deep.equal([]);
    await migrate(database);
    expect(await migrationsCurrent(database)).to.equal(true);
    await database.query('DELETE FROM schema_migration WHERE name = ?', [NAMES.at(-1) ?? '']);
    expect(await migrationsCurrent(database)).to.equal(false);
  });

  it('SR-7 one that was cut off half-way runs again and keeps the rows that stand', async () => {
    await migrate(database);
    await database.query(
      "INSERT INTO chat_session VALUES ('ses-1', 'alice', 'private', '2026-01-01', '2026-01-01')",
    );
    await database.query('DROP TABLE api_token');
    await database.query('DELETE FROM schema_migration WHERE name = ?', ['Runs1764500000001']);
    expect(await migrate(database)).to.deep.equal(['Runs1764500000001']);
    expect(await tables()).to.include('api_token');
    expect(await database.query<unknown[]>('SELECT 1 FROM chat_session')).to.have.length(1);
  });

  it('SR-7 goes down and up again', async () => {
    await migrate(database);
    const runner = database.dataSource.createQueryRunner();
    try {
      await new Runs1764500000001().down(runner);
      expect(await tables()).not.to.include.members(TABLES);
      await new Runs1764500000001().up(runner);
    } finally {
      await runner.release();
    }
    expect(await tables()).to.include.members(TABLES);
  });

  it('SR-1 leaves no drift between the entities and the schema', async () => {
    await migrate(database);
    const { upQueries } = await database.dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).to.deep.equal([]);
  });

  it('SR-1 a column that differs is drift', async () => {
    await migrate(database);
    await database.query('ALTER TABLE diagnosis_run MODIFY intent varchar(31) NULL');
    const { upQueries } = await database.dataSource.driver.createSchemaBuilder().log();
    expect(upQueries).not.to.deep.equal([]);
  });

  it('SR-7 processes that migrate at once: one does it, the others wait for it, readers are not disturbed', async () => {
    const order = { running: true };
    const readers = (async () => {
      while (order.running) await migrationsCurrent(database);
    })();
    const outputs = await Promise.all([runMigrate(url), runMigrate(url), runMigrate(url)]);
    order.running = false;
    await readers;
    expect(outputs.map(({ code }) => code)).to.deep.equal([0, 0, 0]);
    expect(outputs.map(({ text }) => text.split(':')[0]?.trim()).sort()).to.deep.equal([
      'Migrated',
      'The database is up to date.',
      'The database is up to date.',
    ]);
    expect(await migrationsCurrent(database)).to.equal(true);
  });
});

async function runMigrate(url: string): Promise<{ code: number | null; text: string }> {
  const child = spawn(process.execPath, [CLI, 'migrate'], {
    env: { PATH: process.env['PATH'] ?? '', DATABASE_URL: url },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8');
    });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, text };
}
