import { expect } from 'chai';
import { exchange } from '../../src/shared/adapters/target-sql/exchange.js';
import { createMysqlQueryTool } from '../../src/shared/adapters/target-sql/mysql-query-tool.js';
import { TargetSessions } from '../../src/shared/adapters/target-sql/target-sessions.js';
import { readTargetUrl } from '../../src/shared/adapters/target-sql/target-url.js';
import { sharedServers } from '../support/shared-servers.js';
import { NOW, TargetDatabase, until } from './target-database.js';

describe('SE-2 mysql_query: faults and what lies beneath the checks', function () {
  this.timeout(60_000);
  let db: TargetDatabase;
  before(async () => {
    db = await TargetDatabase.open();
  });
  after(() => db.close());

  it('refuses by policy before anything is sent', async () => {
    const result = await db.refused('DROP TABLE numbers');
    expect(result).to.include({ code: 'DENIED' });
    expect((await db.refused('SELECT 1', { database: 'mysql' })).code).to.equal('DENIED');
    expect((await db.rows('SELECT COUNT(*) FROM numbers')).rows).to.deep.equal([['1000']]);
  });

  it('is denied by the account where policy would allow, also through a view', async () => {
    const tool = db.tool({ targetSchemas: [db.schema, db.hidden] });
    const hidden = await db.refused(`SELECT * FROM ${db.hidden}.salaries`, {}, { tool });
    expect(hidden.code).to.equal('DENIED');
    expect(hidden.message).to.contain('1142').and.not.contain('salaries');
    expect((await db.refused('SELECT 1', { database: db.hidden }, { tool })).code).to.equal('DENIED');
    const view = await db.refused('SELECT * FROM leads_elsewhere', {}, { tool });
    expect(view.code).to.be.oneOf(['DENIED', 'FAILED']);
    expect(JSON.stringify(view)).to.not.contain('5000');
    const wrong = new URL(db.url);
    wrong.password = 'guess';
    const login = await db.refused('SELECT 1', {}, { tool: db.tool({ url: wrong.toString() }) });
    expect(login.code).to.equal('DENIED');
    expect(login.message).to.contain('1045').and.not.contain(db.user);
  });

  it("gives the server's own words where the model must mend its statement", async () => {
    const column = await db.refused('SELECT nn FROM numbers');
    expect(column.code).to.equal('INVALID_ARGUMENTS');
    expect(column.message).to.contain('1054').and.contain('nn');
    const table = await db.refused("SELECT * FROM missing_table WHERE a = 'password=hunter2'");
    expect(table.code).to.equal('INVALID_ARGUMENTS');
    expect(table.message).to.contain('missing_table').and.not.contain('hunter2');
    expect((await db.refused('SELECT n FROM numbers WHERE n = (SELECT n FROM numbers)')).code).to.equal(
      'INVALID_ARGUMENTS',
    );
    expect((await db.rows('SELECT 1')).rows).to.deep.equal([[1]]);
  });

  it('is UNAVAILABLE when nobody answers, without naming the account', async () => {
    const away = await db.refused(
      'SELECT 1',
      {},
      { tool: db.tool({ url: 'mysql://me:secret@127.0.0.1:1/x' }) },
    );
    expect(away.code).to.equal('UNAVAILABLE');
    expect(away.message).to.not.match(/me|secret|127/);
  });

  it('is UNAVAILABLE when the connection is lost, and works again after', async () => {
    const tool = db.tool({ poolSize: 1 });
    const pending = db.refused(
      'SELECT COUNT(*) FROM numbers a, numbers b, numbers c, numbers d',
      {},
      { tool },
    );
    await until(async () => (await db.running()).length === 1);
    await db.endStatements();
    expect((await pending).code).to.equal('UNAVAILABLE');
    expect((await db.rows('SELECT 1', {}, { tool })).row_count).to.equal(1);
  });

  it('runs in a pinned session in which not even a writing account can write', async () => {
    const admin = new URL(db.url);
    const { adminDatabaseUrl } = await sharedServers();
    admin.username = new URL(adminDatabaseUrl).username;
    admin.password = new URL(adminDatabaseUrl).password;
    const sessions = new TargetSessions({
      connection: readTargetUrl(admin.toString()).connection,
      poolSize: 1,
      statementTimeoutMs: 1500,
    });
    const { signal } = new AbortController();
    const connection = await sessions.lease(signal);
    let pinned: (string | undefined)[] = [];
    await exchange(
      connection,
      'SELECT @@sql_mode, @@time_zone, @@max_statement_time, @@tx_read_only',
      signal,
      {
        start: () => undefined,
        add: (row) => {
          pinned = row.map((cell) => cell?.toString());
          return true;
        },
      },
    );
    expect(pinned).to.deep.equal([
      'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION',
      '+00:00',
      '1.500000',
      '1',
    ]);
    const write: unknown = await exchange(
      connection,
      `INSERT INTO ${db.schema}.numbers VALUES (5001)`,
      signal,
    ).catch((error: unknown) => error);
    expect(write).to.include({ errno: 1792 });
    const file: unknown = await exchange(
      connection,
      `LOAD DATA LOCAL INFILE '/etc/hostname' INTO TABLE ${db.schema}.numbers`,
      signal,
    ).catch((error: unknown) => error);
    expect(file).to.be.instanceOf(Error);
    sessions.release(connection);
    await sessions.close();
  });

  it('takes only a readable URL with known parameters, and opens nothing by itself', () => {
    const options = {
      targetSchemas: [],
      redact: (text: string) => text,
      clock: { now: () => new Date(NOW) },
    };
    expect(() => createMysqlQueryTool({ ...options, url: 'mysql://a:b@h/' })).to.throw(
      RangeError,
      'TARGET_SCHEMAS',
    );
    expect(() =>
      createMysqlQueryTool({ ...options, url: 'mysql://a:b@h/x?multipleStatements=true' }),
    ).to.throw(RangeError, 'multipleStatements');
    expect(() => createMysqlQueryTool({ ...options, url: '::' })).to.throw(RangeError);
    const { connection, database } = readTargetUrl('mysql://a%40b:p%2Fw@[::1]:3307/shop?ssl-mode=verify_ca');
    expect(connection).to.deep.equal({
      user: 'a@b',
      password: 'p/w',
      host: '::1',
      port: 3307,
      ssl: { rejectUnauthorized: true },
    });
    expect(database).to.equal('shop');
  });
});
