/** The orders service's log: logfmt. The trail is here: the migration, the slow reads after it, the lock waits. */
import type { OrdersCall, Traffic } from './checkout-traffic.js';
import { isoTime, type LogLine } from './log-line.js';
import { createRandom, recurring } from './random.js';
import { HISTORIC_ORDERS, LEDGER, MIGRATION, OPEN_ORDERS_SQL, SEED, SLOW_QUERY_MS } from './shop-facts.js';
import type { Timeline } from './timeline.js';

type Level = 'info' | 'warn' | 'error';
type Fields = Readonly<Record<string, string | number>>;

const LEDGER_REMINDER_MS = 5 * 60_000;

export function ordersLog({ timeline, checkouts }: Traffic): LogLine[] {
  return [
    ...checkouts.flatMap(({ calls }) => calls).flatMap(callLines),
    ...migrationLines(timeline),
    ...ledgerLines(timeline),
    ...noise(timeline),
  ];
}

/** The lines of one call; `isSlow` reads have a row in the slow query log too. */
function callLines(call: OrdersCall): LogLine[] {
  const own = { request_id: call.requestId, customer_id: call.customerId };
  if (call.outcome === 'lock_wait_timeout')
    return [
      line(call.queryEnd, 'error', `lock wait timeout exceeded on table orders after ${call.queryMs} ms`, {
        error: 1205,
        waited_ms: call.queryMs,
        blocking_trx: LEDGER.transaction,
        ...own,
      }),
    ];
  const created = line(call.end, 'info', 'order created', {
    order_id: call.orderId,
    duration_ms: call.end - call.start,
    ...own,
  });
  if (!isSlow(call)) return [created];
  return [
    line(call.queryEnd, 'warn', `slow query ${call.queryMs} ms on orders`, {
      query_ms: call.queryMs,
      lock_ms: call.lockMs,
      rows_examined: call.rowsExamined,
      sql: OPEN_ORDERS_SQL,
      request_id: call.requestId,
    }),
    created,
  ];
}

export function isSlow(call: OrdersCall): boolean {
  return call.outcome === 'created' && call.queryMs >= SLOW_QUERY_MS;
}

function migrationLines({ migration }: Timeline): LogLine[] {
  return [
    line(migration - MIGRATION.durationMs, 'info', `migration ${MIGRATION.name} started`, {
      version: MIGRATION.version,
    }),
    line(
      migration,
      'info',
      `migration ${MIGRATION.name} applied: dropped index ${MIGRATION.index} on table orders`,
      {
        version: MIGRATION.version,
        duration_ms: MIGRATION.durationMs,
      },
    ),
  ];
}

function ledgerLines({ ledgerExport, end }: Timeline): LogLine[] {
  const lines = [
    line(
      ledgerExport,
      'info',
      'ledger export started: one transaction with shared row locks on table orders',
      {
        job: LEDGER.application,
        trx: LEDGER.transaction,
      },
    ),
  ];
  for (let at = ledgerExport + LEDGER_REMINDER_MS; at < end; at += LEDGER_REMINDER_MS)
    lines.push(
      line(
        at,
        'warn',
        `ledger export still running after ${(at - ledgerExport) / 1000} s, its transaction holds row locks on table orders`,
        {
          job: LEDGER.application,
          trx: LEDGER.transaction,
          rows_locked: HISTORIC_ORDERS,
        },
      ),
    );
  return lines;
}

/** What this log always holds, before the incident as well. */
function noise(timeline: Timeline): LogLine[] {
  const random = createRandom(`${SEED}: orders noise`);
  return [
    ...recurring(random, timeline.start, timeline.end, 340_000).map((at) =>
      line(at, 'warn', `clock is ${random.int(22, 71)} ms ahead of its time source`, { source: 'ntp-2' }),
    ),
    ...recurring(random, timeline.start, timeline.end, 60_000).map((at) =>
      line(at, 'info', 'outbox relayed', { events: random.int(6, 19) }),
    ),
  ];
}

function line(at: number, level: Level, msg: string, fields: Fields): LogLine {
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${quoted(value)}`);
  return {
    at,
    text: [
      `time=${isoTime(at)}`,
      `level=${level}`,
      'service=orders',
      `msg=${JSON.stringify(msg)}`,
      ...pairs,
    ].join(' '),
  };
}

function quoted(value: string | number): string {
  return typeof value === 'string' && /[\s"=]/.test(value) ? JSON.stringify(value) : String(value);
}
