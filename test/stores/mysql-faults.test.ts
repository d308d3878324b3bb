/** A server that is away, refuses, is too old, or gives up a transaction; and connections that are cut. */
import { expect } from 'chai';
import { createConnection } from 'mysql2/promise';
import { openDatabase, type Database } from '../../src/shared/adapters/mysql/database.js';
import { createRunStore } from '../../src/shared/adapters/mysql/run-store.js';
import { StoreUnavailable } from '../../src/shared/ports/errors.js';
import { StartFault } from '../../src/shared/runtime/start-fault.js';
import { freshDatabase, sharedServers } from '../support/shared-servers.js';
import { freePort } from '../support/test-fleet.js';
import { until } from '../support/until.js';
import { failureOf } from './support/failure.js';
import { startOldMysql } from './support/old-mysql.js';
import { openTestStores, type TestStores } from './support/open-stores.js';
import { AT } from './support/sample-rows.js';
import { openGate } from './support/tcp-gate.js';

const opening = (url: string): Promise<unknown> => failureOf(openDatabase({ url, poolSize: 2 }));

describe('SE-1 a MySQL that is not as it should be', function () {
  this.timeout(30_000);

  it('SE-1 nobody listens: the store is out of reach, and no part of the URL is told', async () => {
    const error = await opening(`mysql://root:SECRET-PW@127.0.0.1:${await freePort()}/sworn`);
    expect(error).to.be.instanceOf(StoreUnavailable).with.property('what', 'MySQL');
    expect(String(error)).not.to.include('SECRET-PW');
  });

  it('SE-1 a wrong password, and a database that is not there, are named without the secret', async () => {
    const { adminDatabaseUrl } = await sharedServers();
    const admin = await createConnection({ uri: adminDatabaseUrl });
    await admin.query("DROP USER IF EXISTS 'locked'@'%'");
    await admin.query("CREATE USER 'locked'@'%' IDENTIFIED BY 'right'");
    await admin.end();
    const url = new URL(adminDatabaseUrl);
    url.username = 'locked';
    url.password = 'SECRET-PW';
    const denied = await opening(url.toString());
    expect(denied).to.be.instanceOf(StartFault);
    expect((denied as Error).message)
      .to.match(/^DATABASE_URL .*password/)
      .and.not.to.include('SECRET-PW');
    url.password = 'right';
    url.pathname = '/mysql';
    expect(((await opening(url.toString())) as Error).message).to.match(/^DATABASE_URL .*may not use/);
    const absent = new URL(adminDatabaseUrl);
    absent.pathname = '/no_such_schema';
    expect(((await opening(absent.toString())) as Error).message).to.match(
      /^DATABASE_URL .*no such database/,
    );
  });

  it('SE-1 one that is too old is refused with its version and what is needed', async () => {
    for (const version of ['5.7.44-log', '10.6.18-MariaDB', '10.10.7-MariaDB']) {
      const old = await startOldMysql(version);
      const error = await opening(old.url);
      await old.close();
      expect(error, version).to.be.instanceOf(StartFault);
      expect((error as Error).message)
        .to.include(version)
        .and.to.include('MySQL 8 or MariaDB ≥ 10.11');
    }
  });

  it('FL-5 every connection of the pool has the session settings before its first statement', async () => {
    const database = await openDatabase({ url: await freshDatabase(), poolSize: 4 });
    const rows = await Promise.all(
      Array.from({ length: 8 }, () =>
        database.query<{ Variable_name: string; Value: string }[]>(
          `SHOW SESSION VARIABLES WHERE Variable_name IN ('tx_isolation', 'transaction_isolation', 'time_zone') AND SLEEP(0.02) = 0`,
        ),
      ),
    );
    await database.close();
    for (const seen of rows)
      expect(new Set(seen.map(({ Value }) => Value))).to.deep.equal(new Set(['READ-COMMITTED', '+00:00']));
  });
});

describe('FL-5 MySQL that goes away and comes back', function () {
  this.timeout(30_000);

  it('FL-5 statements reject as out of reach while it is away, and work again after', async () => {
    const gate = await openGate(await freshDatabase());
    const database = await openDatabase({ url: gate.url, poolSize: 2 });
    try {
      await gate.shut();
      expect(await failureOf(database.query('SELECT 1'))).to.be.instanceOf(StoreUnavailable);
      expect(await failureOf(database.transaction(async (sql) => sql.query('SELECT 1')))).to.be.instanceOf(
        StoreUnavailable,
      );
      await gate.open();
      expect(await database.query<unknown[]>('SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
    } finally {
      await database.close();
      await gate.close();
    }
  });

  it('FL-5 a connection cut inside a transaction is an outage at the next statement too, and nothing stays', async () => {
    const stores = await openTestStores();
    try {
      const outcome = stores.database.transaction(async (sql) => {
        const [row] = await sql.query<{ id: string }[]>('SELECT CONNECTION_ID() AS id');
        await sql.query('CREATE TEMPORARY TABLE IF NOT EXISTS held (n int)');
        await sql.query("INSERT INTO chat_session VALUES ('s', 'p', 'private', NOW(), NOW())");
        await stores.database.query(`KILL ${Number(row?.id)}`);
        await until('the connection to be gone', async () => {
          const rows = await stores.database.query<unknown[]>(
            'SELECT 1 FROM information_schema.processlist WHERE id = ?',
            [Number(row?.id)],
          );
          return rows.length === 0;
        });
        await new Promise((resolve) => setImmediate(resolve));
        await sql.query('SELECT 1');
      });
      expect(await failureOf(outcome)).to.be.instanceOf(StoreUnavailable);
      expect(await stores.database.query<unknown[]>('SELECT 1 FROM chat_session')).to.deep.equal([]);
    } finally {
      await stores.close();
    }
  });

  it('FL-5 a pool that is closed is out of reach, so that a job left over is given back', async () => {
    const stores = await openTestStores();
    await stores.close();
    expect(await failureOf(stores.store.load('run-x'))).to.be.instanceOf(StoreUnavailable);
    expect(await failureOf(stores.database.transaction(() => Promise.resolve(1)))).to.be.instanceOf(
      StoreUnavailable,
    );
  });
});

describe('CA-2 transactions that lose to others', function () {
  this.timeout(40_000);
  let stores: TestStores;
  before(async () => {
    stores = await openTestStores();
    await stores.database.query('CREATE TABLE pair (id int PRIMARY KEY, n int NOT NULL)');
  });
  after(() => stores.close());
  beforeEach(async () => {
    await stores.database.query('REPLACE INTO pair VALUES (1, 0), (2, 0)');
  });

  it('CA-2 two that lock each other out both end, the loser by running again whole', async () => {
    const { database } = stores;
    let runs = 0;
    let arrived = 0;
    const both = async (first: number, second: number): Promise<void> => {
      await database.transaction(async (sql) => {
        runs += 1;
        await sql.query('UPDATE pair SET n = n + 1 WHERE id = ?', [first]);
        arrived += 1;
        if (arrived <= 2) await until('both to hold their first row', () => arrived >= 2);
        await sql.query('UPDATE pair SET n = n + 1 WHERE id = ?', [second]);
      });
    };
    await Promise.all([both(1, 2), both(2, 1)]);
    expect(runs).to.equal(3);
    expect(await database.query('SELECT n FROM pair ORDER BY id')).to.deep.equal([{ n: 2 }, { n: 2 }]);
  });

  it('CA-2 a statement of its own that is a deadlock’s victim runs again too', async () => {
    const { database } = stores;
    const holder = await connection(stores.url);
    try {
      await holder.query('START TRANSACTION');
      await holder.query('UPDATE pair SET n = 5 WHERE id = 2');
      // Changes the first row, then waits for the second, which the other one holds.
      const statement = database.query('UPDATE pair SET n = n + 1 WHERE id IN (1, 2) ORDER BY id');
      await until(
        'the statement to wait',
        async () => (await status(database, 'Innodb_row_lock_current_waits')) > 0,
      );
      // The holder has changed more rows, so the other one is the victim.
      await holder.query(
        `INSERT INTO pair VALUES ${Array.from({ length: 200 }, (_, n) => `(${n + 10}, 0)`).join()}`,
      );
      await holder.query('UPDATE pair SET n = 6 WHERE id = 1');
      await holder.query('COMMIT');
      await statement;
    } finally {
      holder.destroy();
    }
    expect(await database.query('SELECT n FROM pair WHERE id IN (1, 2) ORDER BY id')).to.deep.equal([
      { n: 7 },
      { n: 6 },
    ]);
  });

  it('CA-2 a lock that others hold through every attempt is an outage, not a fault of the Run', async () => {
    const runId = await stores.create();
    const holder = await connection(stores.url);
    const impatient = await openDatabase({ url: stores.url, poolSize: 1 });
    try {
      await impatient.query('SET SESSION innodb_lock_wait_timeout = 0');
      await holder.query('START TRANSACTION');
      await holder.query('SELECT * FROM diagnosis_run WHERE run_id = ? FOR UPDATE', [runId]);
      const claim = createRunStore(impatient).claim(runId, 'diagnose', null, AT);
      expect(await failureOf(claim)).to.be.instanceOf(StoreUnavailable);
      await holder.query('ROLLBACK');
      expect((await createRunStore(impatient).claim(runId, 'diagnose', null, AT)).ok).to.equal(true);
    } finally {
      holder.destroy();
      await impatient.close();
    }
  });

  it('CA-2 a fault that is no lock conflict is not tried again', async () => {
    let runs = 0;
    const work = stores.database.transaction(async (sql) => {
      runs += 1;
      await sql.query('INSERT INTO pair VALUES (1, 1)');
    });
    expect(await failureOf(work)).to.have.property('name', 'QueryFailedError');
    expect(runs).to.equal(1);
  });
});

async function connection(url: string) {
  const opened = await createConnection({ uri: url });
  await opened.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
  return opened;
}

async function status(database: Database, name: string): Promise<number> {
  const rows = await database.query<{ Value: string }[]>(`SHOW GLOBAL STATUS LIKE '${name}'`);
  return Number(rows[0]?.Value);
}
