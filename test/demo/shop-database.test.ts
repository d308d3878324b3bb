import { expect } from 'chai';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import { logFiles } from '../../demo/incident/generate-logs.js';
import { loadShop } from '../../demo/incident/load-shop.js';
import { shopSql } from '../../demo/incident/shop-sql.js';
import { StartFault } from '../../src/shared/runtime/start-fault.js';
import { startThrowAwayServers, type ThrowAwayServers } from '../support/servers.js';

const NOW = new Date('2026-03-04T12:34:56.789Z');
const START = NOW.getTime() - 85 * 60_000;
const files = logFiles(NOW);
const lines = (name: string, pattern: RegExp): string[] =>
  (files.get(name) ?? '').split('\n').filter((line) => pattern.test(line));
const field = (line: string, name: string): string =>
  new RegExp(`(?:^| )${name}=(\\S+)`).exec(line)?.[1] ?? `no ${name}`;

type Row = Record<string, unknown>;

describe('EG-10 the shop database', function () {
  this.timeout(60_000);
  let servers: ThrowAwayServers;
  let reader: Connection;
  let readerUrl: string;

  const select = async (sql: string): Promise<Row[]> => (await reader.query<RowDataPacket[]>(sql))[0];
  const one = async (sql: string): Promise<unknown> => Object.values((await select(sql))[0] ?? {})[0];

  before(async () => {
    servers = await startThrowAwayServers();
    readerUrl = await loadShop(servers.adminDatabaseUrl, NOW);
    reader = await createConnection({ uri: readerUrl, timezone: 'Z' });
  });
  after(async () => {
    reader.destroy();
    await servers.stop();
  });

  it('is the same statements for the same moment', () => {
    expect(shopSql(NOW)).to.deep.equal(shopSql(NOW));
    expect(shopSql(new Date(NOW.getTime() + 1))).to.not.deep.equal(shopSql(NOW));
  });

  it('really lacks the index, so that the read scans the table', async () => {
    const indexed = await select(
      "SELECT COLUMN_NAME AS name FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = 'shop' AND TABLE_NAME = 'orders'",
    );
    expect(indexed.map(({ name }) => name)).to.have.members(['id', 'created_at']);
    const [plan] = await select("EXPLAIN SELECT id FROM orders WHERE customer_id = 5 AND status = 'PENDING'");
    expect(plan).to.include({ type: 'ALL', key: null });
  });

  it('has the migration and the open transaction at the times that the log gives', async () => {
    const [applied] = await select(
      'SELECT name, sql_text, applied_at FROM schema_migrations ORDER BY applied_at DESC LIMIT 1',
    );
    const [line] = lines('orders.log', /migration \S+ applied/);
    expect((applied?.['applied_at'] as Date).toISOString()).to.equal(field(line ?? '', 'time'));
    expect(line).to.contain(String(applied?.['name']));
    expect(applied?.['sql_text']).to.equal('ALTER TABLE orders DROP INDEX idx_orders_customer_id');
    const open = await select('SELECT * FROM transaction_log WHERE ended_at IS NULL');
    const [export_] = lines('orders.log', /ledger export started/);
    expect(open).to.have.length(1);
    expect((open[0]?.['started_at'] as Date).toISOString()).to.equal(field(export_ ?? '', 'time'));
    expect(open[0]).to.include({
      trx_id: Number(field(export_ ?? '', 'trx')),
      locked_table: 'orders',
      state: 'ACTIVE',
    });
  });

  it('has one row in the slow query log for each slow query line, with the same figures', async () => {
    const rows = await select(
      'SELECT start_time, query_time_ms, lock_time_ms, rows_examined FROM slow_query_log ORDER BY id',
    );
    const logged = lines('orders.log', /msg="slow query/).map((line) => {
      const ms = Number(field(line, 'query_ms'));
      return [
        Date.parse(field(line, 'time')) - ms,
        ms,
        Number(field(line, 'lock_ms')),
        Number(field(line, 'rows_examined')),
      ];
    });
    expect(rows.length).to.be.above(200);
    expect(
      rows.map((row) => [
        (row['start_time'] as Date).getTime(),
        row['query_time_ms'],
        row['lock_time_ms'],
        row['rows_examined'],
      ]),
    ).to.deep.equal(logged);
  });

  it('examined as many rows as the table held when the read began', async () => {
    const written = await select('SELECT id, created_at FROM orders WHERE id > 48000');
    expect(await one('SELECT COUNT(*) FROM orders WHERE id <= 48000')).to.equal(48_000);
    const times = written.map((row) => (row['created_at'] as Date).getTime());
    for (const row of await select('SELECT start_time, rows_examined FROM slow_query_log')) {
      const start = (row['start_time'] as Date).getTime();
      const held = 48_000 + times.filter((time) => time < start).length;
      // A row more may have been written in the milliseconds between the call and its read.
      expect(Number(row['rows_examined'])).to.be.within(held - 1, held);
    }
  });

  it('has one row for each lock wait timeout, and no other blocker than the export', async () => {
    const rows = await select(
      'SELECT occurred_at, waited_ms, blocking_trx_id FROM lock_wait_log ORDER BY id',
    );
    expect(
      rows.map((row) => [
        (row['occurred_at'] as Date).toISOString(),
        String(row['waited_ms']),
        String(row['blocking_trx_id']),
      ]),
    ).to.deep.equal(
      lines('orders.log', /lock wait timeout/).map((line) => [
        field(line, 'time'),
        field(line, 'waited_ms'),
        field(line, 'blocking_trx'),
      ]),
    );
  });

  it('has the orders and payments of the logs, and pending orders only after the migration', async () => {
    const from = `'${new Date(START).toISOString().slice(0, 23).replace('T', ' ')}'`;
    expect(await one(`SELECT COUNT(*) FROM orders WHERE created_at >= ${from}`)).to.equal(
      lines('orders.log', /msg="order created"/).length,
    );
    for (const [status, pattern] of [
      ['AUTHORISED', /payment authorised/],
      ['DECLINED', /payment declined/],
    ] as const)
      expect(
        await one(`SELECT COUNT(*) FROM payments WHERE created_at >= ${from} AND status = '${status}'`),
      ).to.equal(lines('payments.log', pattern).length);
    const unpaid = await select(
      "SELECT o.created_at FROM orders o LEFT JOIN payments p ON p.order_id = o.id WHERE o.status = 'PENDING' AND p.id IS NULL",
    );
    const migrated = (await one('SELECT MAX(applied_at) FROM schema_migrations')) as Date;
    expect(unpaid.length).to.be.above(20);
    for (const row of unpaid) expect((row['created_at'] as Date).getTime()).to.be.above(migrated.getTime());
    expect(
      await one(
        "SELECT COUNT(*) FROM orders o LEFT JOIN payments p ON p.order_id = o.id WHERE o.status = 'PAID' AND p.id IS NULL",
      ),
    ).to.equal(0);
    expect(
      await one(
        'SELECT COUNT(*) FROM orders o JOIN order_items i ON i.order_id = o.id WHERE o.total_cents <> i.quantity * i.price_cents',
      ),
    ).to.equal(0);
  });

  it('holds nothing from the future', async () => {
    for (const [table, column] of [
      ['orders', 'created_at'],
      ['payments', 'created_at'],
      ['slow_query_log', 'start_time'],
      ['lock_wait_log', 'occurred_at'],
    ] as const)
      expect(((await one(`SELECT MAX(${column}) FROM ${table}`)) as Date).getTime(), table).to.be.below(
        NOW.getTime(),
      );
  });

  it('SE-1 is read under an account that can change nothing and sees no other schema', async () => {
    for (const sql of [
      'UPDATE orders SET total_cents = 0',
      'DROP TABLE orders',
      'SELECT * FROM mysql.user',
      'CREATE TABLE t (a INT)',
    ]) {
      const code = await reader.query(sql).then(
        () => 'allowed',
        (error: unknown) => (error as { code?: string }).code,
      );
      expect(code, sql).to.match(/^ER_(TABLE|DB)?ACCESS_DENIED_ERROR$/);
    }
  });

  it('is made anew over its own, and refuses a schema that it did not make', async () => {
    readerUrl = await loadShop(servers.adminDatabaseUrl, new Date(NOW.getTime() + 60_000));
    reader.destroy();
    reader = await createConnection({ uri: readerUrl, timezone: 'Z' });
    expect(((await one('SELECT MAX(applied_at) FROM schema_migrations')) as Date).getTime()).to.equal(
      NOW.getTime() - 38 * 60_000,
    );
    const admin = await createConnection({ uri: servers.adminDatabaseUrl });
    try {
      await admin.query('DROP DATABASE shop');
      await admin.query('CREATE DATABASE shop');
      await admin.query('CREATE TABLE shop.orders (a INT)');
      await admin.query('INSERT INTO shop.orders VALUES (7)');
      const outcome = await loadShop(servers.adminDatabaseUrl, NOW).catch((error: unknown) => error);
      expect(outcome).to.be.instanceOf(StartFault);
      const [rows] = await admin.query('SELECT a FROM shop.orders');
      expect(rows).to.deep.equal([{ a: 7 }]);
    } finally {
      admin.destroy();
    }
  });
});
