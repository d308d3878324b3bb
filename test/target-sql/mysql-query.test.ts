import { expect } from 'chai';
import { NOW, TargetDatabase } from './target-database.js';

describe('EG-10 mysql_query: results', function () {
  this.timeout(60_000);
  let db: TargetDatabase;
  const zone = process.env['TZ'];
  before(async () => {
    process.env['TZ'] = 'Asia/Shanghai';
    db = await TargetDatabase.open();
    await db.admin.query(
      `CREATE TABLE ${db.schema}.kinds (
         a bigint unsigned, b decimal(30,10), c datetime(3), d timestamp(6) NULL, e date, f time, g varbinary(8), h json,
         i double, j int, k varchar(20), l bit(3), m enum('x','y'), n tinyint(1), o year, p blob, q char(4), r float, s datetime);
       SET time_zone = '+00:00';
       INSERT INTO ${db.schema}.kinds VALUES (18446744073709551615, '12345678901234567890.0123456789', '2026-01-02 03:04:05.678',
         '2026-01-02 03:04:05.000001', '2026-01-02', '-12:34:56', x'00ff', '{"a":9007199254740993}', 1e300, -7, '🙂 ''q'' "', b'101', 'y',
         1, 2026, 'blob', '', 1.5, '0000-00-00 00:00:00');
       INSERT INTO ${db.schema}.kinds (a) VALUES (NULL);
       CREATE TABLE ${db.schema}.accounts (id int, password varchar(50), note varchar(100));
       INSERT INTO ${db.schema}.accounts VALUES (1, 'plain words', 'api_key=abc123DEF456'), (2, NULL, '')`,
    );
  });
  after(async () => {
    if (zone === undefined) delete process.env['TZ'];
    else process.env['TZ'] = zone;
    await db.close();
  });

  it('keep every digit, instant and byte', async () => {
    const { rows, columns, executed_at, evidence_status, scope } = await db.rows('SELECT * FROM kinds');
    expect(columns.join('')).to.equal('abcdefghijklmnopqrs');
    expect(rows[0]).to.deep.equal([
      '18446744073709551615',
      '12345678901234567890.0123456789',
      '2026-01-02T03:04:05.678Z',
      '2026-01-02T03:04:05.000001Z',
      '2026-01-02',
      '-12:34:56',
      '0x00ff',
      '{"a":9007199254740993}',
      1e300,
      -7,
      "🙂 'q' \"",
      '0x05',
      'y',
      1,
      2026,
      '0x626c6f62',
      '',
      1.5,
      '0000-00-00 00:00:00',
    ]);
    expect(rows[1]).to.deep.equal(columns.map(() => null));
    expect(executed_at).to.equal(NOW);
    expect(evidence_status).to.equal('EVIDENCE_FOUND');
    expect(scope.assumptions).to.deep.equal(['DATETIME values carry no zone and are shown as UTC']);
    expect(scope).to.include({ database: db.schema, sql: 'SELECT * FROM kinds', limit: 50 });
  });

  it('show the first rows up to the limit and say that more exist', async () => {
    const cut = await db.rows('SELECT n FROM numbers ORDER BY n', { limit: 3 });
    expect(cut.rows).to.deep.equal([[1], [2], [3]]);
    expect(cut).to.include({ row_count: 3, truncated: true });
    expect(cut.scope.assumptions).to.deep.equal(['only the first 3 rows are shown, more exist']);
    const whole = await db.rows('SELECT n FROM numbers ORDER BY n LIMIT 3', { limit: 3 });
    expect(whole).to.include({ row_count: 3, truncated: false });
    expect(whole.scope.assumptions).to.deep.equal([]);
    const explicit = await db.rows('SELECT n FROM numbers ORDER BY n LIMIT 900', { limit: 3 });
    expect(explicit).to.include({ row_count: 3, truncated: true });
  });

  it('clamp the limit and say so', async () => {
    const low = await db.rows('SELECT n FROM numbers', { limit: 0 });
    expect(low.scope.limit).to.equal(1);
    expect(low.scope.assumptions[0]).to.equal('limit 0 was clamped to 1');
    const high = await db.rows('SELECT n FROM numbers', { limit: 500 });
    expect(high).to.include({ row_count: 200, truncated: true });
  });

  it('count inside a statement over all rows, whatever the limit', async () => {
    for (const sql of [
      'SELECT COUNT(*) FROM numbers',
      'SELECT COUNT(*) FROM (SELECT n FROM numbers) d',
      'SELECT COUNT(*) FROM numbers WHERE n IN (SELECT n FROM numbers)',
      'WITH d AS (SELECT n FROM numbers) SELECT COUNT(*) FROM d',
    ])
      expect((await db.rows(sql, { limit: 1 })).rows, sql).to.deep.equal([['1000']]);
    expect(
      (await db.rows('SELECT n FROM numbers UNION ALL SELECT n FROM numbers', { limit: 1 })).truncated,
    ).to.equal(true);
  });

  it('IV-5 are no evidence of absence when the statement itself leaves rows out', async () => {
    for (const sql of [
      'SELECT n FROM numbers LIMIT 0',
      'SELECT n FROM numbers ORDER BY n LIMIT 5 OFFSET 5000',
      'SELECT n FROM numbers ORDER BY n LIMIT 5000, 5',
    ])
      expect((await db.refused(sql)).code, sql).to.equal('INVALID_ARGUMENTS');
    expect(await db.rows('SELECT n FROM numbers WHERE n > 5000 LIMIT 5')).to.include({
      evidence_status: 'NO_EVIDENCE',
    });
  });

  it('tell no rows from a row that says zero', async () => {
    const none = await db.rows('SELECT n FROM numbers WHERE n > 5000');
    expect(none).to.include({ evidence_status: 'NO_EVIDENCE', row_count: 0, truncated: false });
    expect(none.columns).to.deep.equal(['n']);
    const zero = await db.rows('SELECT COUNT(*) AS c FROM numbers WHERE n > 5000');
    expect(zero).to.include({ evidence_status: 'EVIDENCE_FOUND' });
    expect(zero.rows).to.deep.equal([['0']]);
  });

  it('stay within their bytes on row boundaries, one row at least', async () => {
    const many = await db.rows(
      "SELECT n, REPEAT('é', 200) t FROM numbers ORDER BY n",
      { limit: 200 },
      { maxResultBytes: 4096 },
    );
    expect(many.truncated).to.equal(true);
    expect(many.rows.length).to.be.within(5, 9);
    expect(many.rows.at(-1)?.[1]).to.equal('é'.repeat(200));
    expect(many.scope.assumptions.join())
      .to.contain(`first ${String(many.rows.length)} rows`)
      .and.contain('do not fit');
    const wide = await db.rows(
      `SELECT ${Array.from({ length: 20 }, () => "REPEAT('x', 900)").join(', ')}`,
      {},
      { maxResultBytes: 4096 },
    );
    expect(wide).to.include({ row_count: 1, evidence_status: 'EVIDENCE_FOUND' });
    expect(wide.rows[0]?.[0]).to.match(/^x+… \[clipped \d+\]$/);
    const never = await db.refused(
      `SELECT ${Array.from({ length: 400 }, (_, i) => `n AS column_${String(i)}`).join(', ')} FROM numbers`,
      {},
      { maxResultBytes: 1024 },
    );
    expect(never.code).to.equal('TOO_LARGE');
  });

  it('clip long cells with a mark, also ones of megabytes', async () => {
    const { rows, truncated, scope } = await db.rows(
      "SELECT REPEAT('ab', 2000000) t, UNHEX(REPEAT('ff', 3000)) u",
    );
    expect(rows[0]?.[0]).to.equal(`${'ab'.repeat(512)}… [clipped 3998976]`);
    expect(rows[0]?.[1]).to.match(/^0x(ff){511}… \[clipped \d+\]$/);
    expect(truncated).to.equal(false);
    expect(scope.assumptions.join()).to.contain('clipped');
  });

  it('hide secrets in cells, in columns named after secrets, and in the statement (SE-2)', async () => {
    const { rows } = await db.rows('SELECT * FROM accounts ORDER BY id');
    expect(rows).to.deep.equal([
      [1, '[redacted:password]', 'api_key=[redacted:api_key]'],
      [2, null, ''],
    ]);
    const renamed = await db.rows("SELECT password AS p FROM accounts WHERE note <> 'password=hunter2'");
    expect(renamed.rows[0]).to.deep.equal(['[redacted:password]']);
    expect(renamed.scope.sql).to.contain('password=[redacted:password]').and.not.contain('hunter2');
  });

  it('come from DESCRIBE, SHOW, EXPLAIN and information_schema too', async () => {
    expect((await db.rows('DESCRIBE numbers')).rows[0]?.slice(0, 2)).to.deep.equal(['n', 'int(11)']);
    expect((await db.rows("SHOW TABLES LIKE 'num%'")).rows).to.deep.equal([['numbers']]);
    expect((await db.rows('SHOW CREATE TABLE numbers')).rows[0]?.[1]).to.contain('PRIMARY KEY (`n`)');
    expect((await db.rows('EXPLAIN SELECT * FROM numbers WHERE n = 1')).rows[0]).to.include('numbers');
    const columns = await db.rows(
      `SELECT column_name FROM information_schema.COLUMNS WHERE table_schema = '${db.schema}' AND table_name = 'numbers'`,
    );
    expect(columns.rows).to.deep.equal([['n']]);
  });

  it('name the tables that may be asked about, and none when the server is away', async () => {
    const { databases } = await db.tool().catalogue(new AbortController().signal);
    expect(databases).to.deep.equal([
      { name: db.schema, tables: ['accounts', 'kinds', 'leads_elsewhere', 'numbers'] },
    ]);
    const away = db.tool({ url: 'mysql://a:b@127.0.0.1:1/x' });
    expect(await away.catalogue(new AbortController().signal)).to.deep.equal({ services: [], databases: [] });
  });
});
