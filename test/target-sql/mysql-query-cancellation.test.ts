import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { TargetDatabase, until } from './target-database.js';

describe('CA-1 mysql_query: cancellation', function () {
  this.timeout(20_000);
  const ENDLESS = 'SELECT COUNT(*) FROM numbers a, numbers b, numbers c, numbers d';
  let db: TargetDatabase;
  before(async () => {
    db = await TargetDatabase.open();
    // The server's own limit is far away: only a KILL can end a statement here.
    db.tool({ statementTimeoutMs: 600_000 });
  });
  after(() => db.close());

  for (const [code, reason] of [
    ['CANCELLED', new DOMException('cancelled', 'AbortError')],
    ['TIMEOUT', new DOMException('time is over', 'TimeoutError')],
  ] as const)
    it(`answers ${code}, and the statement is gone from the server`, async () => {
      const controller = new AbortController();
      const pending = db.refused(ENDLESS, {}, { signal: controller.signal });
      await until(async () => (await db.running()).some((sql) => sql === ENDLESS));
      controller.abort(reason);
      const result = await pending;
      expect(result.code).to.equal(code);
      expect(result.message).to.not.contain('could not be told');
      expect(result.scope).to.include({ sql: ENDLESS });
      await until(async () => (await db.running()).length === 0);
      expect((await db.rows('SELECT COUNT(*) FROM numbers')).row_count).to.equal(1);
    });

  it('stops a statement whose rows are no longer wanted', async () => {
    const cut = await db.rows('SELECT a.n, b.n, c.n FROM numbers a, numbers b, numbers c LIMIT 900000000', {
      limit: 2,
    });
    expect(cut).to.include({ row_count: 2, truncated: true });
    await until(async () => (await db.running()).length === 0);
  });

  it("ends at the server's own limit when nobody cancels", async () => {
    const tool = db.tool({ statementTimeoutMs: 100 });
    const result = await db.refused(ENDLESS, {}, { tool });
    expect(result).to.include({ code: 'TIMEOUT' });
    expect(result.message).to.contain('1969');
  });

  it('does not wait for a connection beyond its signal, nor run anything before it', async () => {
    const aborted = await db.refused('SELECT 1', {}, { signal: AbortSignal.abort() });
    expect(aborted.code).to.equal('CANCELLED');
    const tool = db.tool({ poolSize: 1 });
    const first = new AbortController();
    const busy = db.refused(ENDLESS, {}, { tool, signal: first.signal });
    await until(async () => (await db.running()).length === 1);
    const second = new AbortController();
    const waiting = db.refused('SELECT 1', {}, { tool, signal: second.signal });
    second.abort();
    expect((await waiting).code).to.equal('CANCELLED');
    first.abort();
    expect((await busy).code).to.equal('CANCELLED');
    expect((await db.rows('SELECT 1', {}, { tool })).row_count).to.equal(1);
  });

  it('says when the server could not be told', async () => {
    const tool = db.tool({ statementTimeoutMs: 600_000 });
    const controller = new AbortController();
    const pending = db.refused(ENDLESS, {}, { tool, signal: controller.signal });
    await until(async () => (await db.running()).length === 1);
    await db.admin.query(`ALTER USER '${db.user}'@'127.0.0.1' ACCOUNT LOCK`);
    try {
      controller.abort();
      const result = await pending;
      expect(result.code).to.equal('CANCELLED');
      expect(result.message).to.contain('could not be told');
    } finally {
      await db.admin.query(`ALTER USER '${db.user}'@'127.0.0.1' ACCOUNT UNLOCK`);
      await db.endStatements();
    }
  });

  it('leaves no listener on a signal that lives on', async () => {
    const { signal } = new AbortController();
    for (let i = 0; i < 50; i++) await db.rows('SELECT 1', {}, { signal });
    expect(getEventListeners(signal, 'abort')).to.have.length(0);
  });

  it('leaves no connection when it is closed', async () => {
    const connections = async () => {
      const [rows] = await db.admin.query('SELECT ID FROM information_schema.PROCESSLIST WHERE USER = ?', [
        db.user,
      ]);
      return (rows as unknown[]).length;
    };
    const before = await connections();
    const tool = db.tool();
    await db.rows('SELECT 1', {}, { tool });
    expect(await connections()).to.equal(before + 1);
    await tool.close();
    await until(async () => (await connections()) === before);
    expect((await db.refused('SELECT 1', {}, { tool })).code).to.equal('UNAVAILABLE');
  });
});
