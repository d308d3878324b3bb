import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { generateLogs, logFiles } from '../../demo/incident/generate-logs.js';
import { LineReader } from '../../src/shared/adapters/logs/formats/line-reader.js';
import { TimeReader } from '../../src/shared/adapters/logs/log-time.js';
import { WallClock } from '../../src/shared/adapters/logs/time-zone.js';

const NOW = new Date('2026-03-04T12:34:56.789Z');
const MINUTE = 60_000;
const files = logFiles(NOW);

interface Entry {
  at: number;
  level: string | undefined;
  service: string | undefined;
  text: string;
}

/** Read by the search's own reader, so that what is generated is what will be found. */
function entriesOf(name: string): Entry[] {
  const reader = new LineReader(new TimeReader(new WallClock('UTC'), NOW.getTime()));
  const lines = (files.get(name) ?? '').trimEnd().split('\n');
  return lines.map((text) => {
    const head = reader.read(text);
    if (head === undefined) throw new Error(`no time was read in: ${text}`);
    const { level, service } = head.body();
    return { at: head.timeMs, level, service, text };
  });
}

const logs = Object.fromEntries([...files.keys()].map((name) => [name.replace('.log', ''), entriesOf(name)]));
const of = (name: string, pattern: RegExp): Entry[] =>
  (logs[name] ?? []).filter(({ text }) => pattern.test(text));
const migration = of('orders', /migration 0047_\w+ applied/)[0]?.at ?? 0;
const ledger = of('orders', /ledger export started/)[0]?.at ?? 0;
const before = (list: readonly Entry[], at = migration): Entry[] => list.filter((entry) => entry.at < at);
const after = (list: readonly Entry[], at = migration): Entry[] => list.filter((entry) => entry.at >= at);
/** Per minute, over the part of the logs on that side of the migration. */
function rates(list: readonly Entry[]): { before: number; after: number } {
  const start = NOW.getTime() - 85 * MINUTE;
  return {
    before: (before(list).length / (migration - start)) * MINUTE,
    after: (after(list).length / (NOW.getTime() - migration)) * MINUTE,
  };
}

describe('the generated logs', () => {
  it('are the same bytes for the same moment, and move with it', () => {
    expect([...logFiles(NOW)]).to.deep.equal([...files]);
    const later = logFiles(new Date(NOW.getTime() + 7 * MINUTE));
    expect(later.get('orders.log')).to.not.equal(files.get('orders.log'));
    expect(later.get('orders.log')?.split('\n').length).to.equal(files.get('orders.log')?.split('\n').length);
  });

  it('are four services in four formats, a few thousand lines, each read by the search, none in the future', () => {
    const heads = [/^\{"time"/, /^(203|198)\.\S+ - - \[/, /^time=\S+ level=/, /^<\d+>1 /];
    expect([...files.keys()]).to.have.members(['checkout.log', 'gateway.log', 'orders.log', 'payments.log']);
    for (const [index, name] of ['checkout', 'gateway', 'orders', 'payments'].entries()) {
      const entries = logs[name] ?? [];
      expect(entries.length, name).to.be.within(500, 4000);
      for (const { text } of entries) expect(text).to.match(heads[index] ?? /^$/);
      const times = entries.map(({ at }) => at);
      expect(times, name).to.deep.equal([...times].sort((a, b) => a - b));
      expect(times.at(-1)).to.be.below(NOW.getTime());
      expect(times[0]).to.be.at.least(NOW.getTime() - 86 * MINUTE);
    }
    expect(new Set((logs['payments'] ?? []).map(({ service }) => service))).to.deep.equal(
      new Set(['payments']),
    );
    expect(new Set((logs['checkout'] ?? []).map(({ service }) => service))).to.deep.equal(
      new Set(['checkout']),
    );
  });

  it('leave the folder holding nothing but themselves', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'sworn-demo-logs-'));
    try {
      await writeFile(join(dir, 'stale.log'), 'left over\n');
      const count = await generateLogs(dir, NOW);
      expect((await readdir(dir)).sort()).to.deep.equal([...files.keys()].sort());
      expect(await readFile(join(dir, 'orders.log'), 'utf8')).to.equal(files.get('orders.log'));
      expect(count).to.equal(Object.values(logs).reduce((sum, entries) => sum + entries.length, 0));
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});

describe('EG-10 the trail in the logs', () => {
  it('begins within the default window of an hour, the migration first', () => {
    expect(NOW.getTime() - migration).to.be.within(30 * MINUTE, 50 * MINUTE);
    expect(ledger).to.be.above(migration + 5 * MINUTE);
  });

  it('has slow queries after the migration alone, and slower ones after the export began', () => {
    const slow = of('orders', /msg="slow query \d+ ms on orders"/);
    expect(before(slow)).to.have.length(0);
    expect(after(slow).length).to.be.above(200);
    const mean = (list: readonly Entry[]): number =>
      list.reduce((sum, { text }) => sum + Number(/query_ms=(\d+)/.exec(text)?.[1]), 0) / list.length;
    expect(mean(after(slow, ledger))).to.be.above(1.5 * mean(before(slow, ledger)));
    for (const { level } of slow) expect(level).to.equal('WARN');
  });

  it('has lock wait timeouts that name table and blocker after the export began alone', () => {
    const waits = of('orders', /lock wait timeout exceeded on table orders/);
    expect(before(waits, ledger)).to.have.length(0);
    expect(waits.length).to.be.above(50);
    for (const { text, level } of waits) {
      expect(text).to.contain('error=1205').and.to.contain('blocking_trx=90311');
      expect(level).to.equal('ERROR');
    }
    expect(of('orders', /trx=90311/)[0]?.at).to.equal(ledger);
  });

  it('has checkout timeouts that name orders, and gateway 504s, neither before the export', () => {
    const timeouts = of('checkout', /timeout after 5000 ms calling orders/);
    const gateway = of('gateway', /"POST \/checkout HTTP\/1\.1" 504 /);
    expect(before([...timeouts, ...gateway], ledger)).to.have.length(0);
    expect(timeouts.length).to.be.above(50);
    expect(gateway.length).to.be.above(20);
    for (const { text } of gateway) expect(text).to.match(/request_time=10\.000$/);
    for (const { text } of of('gateway', /"POST \/checkout HTTP\/1\.1" 201 /))
      expect(Number(/request_time=([\d.]+)$/.exec(text)?.[1])).to.be.below(10);
  });

  it('carries one request through the services by its ID', () => {
    const failed = of('checkout', /checkout failed: orders did not answer/)[0];
    const id = /"request_id":"([0-9a-f]{16})"/.exec(failed?.text ?? '')?.[1] ?? 'none';
    expect(of('checkout', new RegExp(`timeout after.*${id}`))).to.have.length(2);
    expect(of('orders', new RegExp(id)).length).to.be.at.least(1);
  });
});

describe('red herrings in the logs', () => {
  const herrings: [string, string, RegExp][] = [
    ['TLS renegotiations', 'payments', /TLS - renegotiation/],
    ['undelivered receipts at ERROR', 'payments', /MAIL - receipt/],
    ['failed recommendations', 'checkout', /recommendations call failed/],
    ['garbage collection pauses', 'checkout', /gc pause/],
    ['recommendations answered 502', 'gateway', /recommendations HTTP\/1\.1" 502/],
    ['clock warnings', 'orders', /ahead of its time source/],
  ];
  for (const [what, name, pattern] of herrings) {
    it(`${what} go on before as after`, () => {
      const rate = rates(of(name, pattern));
      expect(rate.before).to.be.above(0.05);
      expect(rate.after / rate.before).to.be.within(0.4, 2.2);
    });
  }

  it('a payments release went out before, and its durations did not change', () => {
    const release = of('payments', /DEPLOY - version 4\.18\.2 rolling out/)[0]?.at ?? Infinity;
    expect(release).to.be.below(migration - 15 * MINUTE);
    const durations = (list: readonly Entry[]): number => {
      const values = list.map(({ text }) => Number(/ in (\d+) ms$/.exec(text)?.[1]));
      return values.reduce((sum, value) => sum + value, 0) / values.length;
    };
    const authorised = of('payments', /payment authorised/);
    expect(durations(after(authorised)) / durations(before(authorised))).to.be.within(0.8, 1.25);
  });
});
