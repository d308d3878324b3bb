/** Rows of what happened within the logs; their figures are those of the log lines, from the same traffic. */
import type { Checkout, OrdersCall, Traffic } from './checkout-traffic.js';
import { isSlow } from './orders-log.js';
import { createRandom, recurring } from './random.js';
import { HISTORIC_ORDERS, LEDGER, MIGRATION, OPEN_ORDERS_SQL, SEED } from './shop-facts.js';
import type { Timeline } from './timeline.js';

export type Cell = string | number | Date | null;

export interface TableRows {
  table: string;
  columns: readonly string[];
  rows: Cell[][];
}

/** Only what was there before the end of the logs. */
export function recentRows({ timeline, checkouts }: Traffic): TableRows[] {
  const { end } = timeline;
  const calls = checkouts.flatMap((checkout) => checkout.calls.map((call) => ({ checkout, call })));
  const created = calls
    .filter(({ call }) => call.outcome === 'created' && call.end < end)
    .sort((a, b) => a.call.orderId - b.call.orderId);
  const ended = calls.map(({ call }) => call).filter((call) => call.queryEnd < end);
  return [
    ...orderRows(created, end),
    paymentRows(checkouts, end),
    slowQueryRows(ended.filter(isSlow)),
    lockWaitRows(ended.filter(({ outcome }) => outcome === 'lock_wait_timeout')),
    migrationRows(timeline),
    transactionRows(timeline),
  ];
}

function orderRows(created: readonly { checkout: Checkout; call: OrdersCall }[], end: number): TableRows[] {
  return [
    {
      table: 'orders',
      columns: ['id', 'customer_id', 'status', 'total_cents', 'currency', 'created_at'],
      rows: created.map(({ checkout, call }) => [
        call.orderId,
        call.customerId,
        statusOf(checkout, call, end),
        checkout.quantity * checkout.priceCents,
        'EUR',
        new Date(call.end),
      ]),
    },
    {
      table: 'order_items',
      columns: ['id', 'order_id', 'sku', 'quantity', 'price_cents'],
      rows: created.map(({ checkout, call }) => [
        call.orderId,
        call.orderId,
        checkout.sku,
        checkout.quantity,
        checkout.priceCents,
      ]),
    },
  ];
}

/** An order that checkout no longer waited for stays PENDING: nobody pays it. */
function statusOf({ answered, payment }: Checkout, call: OrdersCall, end: number): string {
  if (call !== answered || payment === null || payment.at + payment.durationMs >= end) return 'PENDING';
  return payment.authorised ? 'PAID' : 'DECLINED';
}

function paymentRows(checkouts: readonly Checkout[], end: number): TableRows {
  const rows: Cell[][] = [];
  for (const { answered, payment, quantity, priceCents } of checkouts) {
    if (answered === null || payment === null) continue;
    const at = payment.at + payment.durationMs;
    if (at >= end) continue;
    const status = payment.authorised ? 'AUTHORISED' : 'DECLINED';
    // An order has one payment at most, so the order's number serves.
    rows.push([
      answered.orderId,
      answered.orderId,
      status,
      quantity * priceCents,
      payment.durationMs,
      new Date(at),
    ]);
  }
  return {
    table: 'payments',
    columns: ['id', 'order_id', 'status', 'amount_cents', 'duration_ms', 'created_at'],
    rows,
  };
}

function slowQueryRows(calls: readonly OrdersCall[]): TableRows {
  const ordered = [...calls].sort((a, b) => a.queryEnd - b.queryEnd);
  return {
    table: 'slow_query_log',
    columns: ['id', 'start_time', 'table_name', 'query_time_ms', 'lock_time_ms', 'rows_examined', 'sql_text'],
    rows: ordered.map((call, index) => [
      index + 1,
      new Date(call.queryEnd - call.queryMs),
      'orders',
      call.queryMs,
      call.lockMs,
      call.rowsExamined,
      OPEN_ORDERS_SQL,
    ]),
  };
}

function lockWaitRows(calls: readonly OrdersCall[]): TableRows {
  const ordered = [...calls].sort((a, b) => a.queryEnd - b.queryEnd);
  return {
    table: 'lock_wait_log',
    columns: ['id', 'occurred_at', 'table_name', 'waited_ms', 'blocking_trx_id', 'sql_text'],
    rows: ordered.map((call, index) => [
      index + 1,
      new Date(call.queryEnd),
      'orders',
      call.queryMs,
      LEDGER.transaction,
      OPEN_ORDERS_SQL,
    ]),
  };
}

const DAY_MS = 86_400_000;
const EARLIER_MIGRATIONS = [
  [
    '0043',
    '0043_add_customers_country',
    'country of the customer',
    'ALTER TABLE customers ADD COLUMN country CHAR(2)',
    61,
  ],
  [
    '0044',
    '0044_widen_order_items_sku',
    'longer article numbers',
    'ALTER TABLE order_items MODIFY sku VARCHAR(16)',
    33,
  ],
  [
    '0045',
    '0045_add_payments_duration',
    'duration of the authorisation',
    'ALTER TABLE payments ADD COLUMN duration_ms INT',
    19,
  ],
  [
    '0046',
    '0046_add_orders_created_at_index',
    'index for the export',
    'ALTER TABLE orders ADD INDEX idx_orders_created_at (created_at)',
    8,
  ],
] as const;

function migrationRows({ migration }: Timeline): TableRows {
  return {
    table: 'schema_migrations',
    columns: ['version', 'name', 'description', 'sql_text', 'applied_at', 'duration_ms'],
    rows: [
      ...EARLIER_MIGRATIONS.map(([version, name, description, sql, daysBefore], index): Cell[] => [
        version,
        name,
        description,
        sql,
        new Date(migration - daysBefore * DAY_MS),
        140 + 95 * index,
      ]),
      [
        MIGRATION.version,
        MIGRATION.name,
        MIGRATION.description,
        MIGRATION.statement,
        new Date(migration),
        MIGRATION.durationMs,
      ],
    ],
  };
}

/** Transactions over `orders` of more than a second: short ones that ended, and the one that did not. */
function transactionRows(timeline: Timeline): TableRows {
  const random = createRandom(`${SEED}: transactions`);
  const ended = recurring(random, timeline.start, timeline.end - 60_000, 700_000).map((at): Cell[] => [
    // Numbers rise with time.
    LEDGER.transaction + Math.round((at - timeline.ledgerExport) / 4000),
    'stock-sync',
    'COMMITTED',
    new Date(at),
    new Date(at + random.int(1000, 2400)),
    random.int(12, 90),
    'order_items',
    'SELECT sku, SUM(quantity) FROM order_items WHERE order_id >= ? GROUP BY sku',
  ]);
  return {
    table: 'transaction_log',
    columns: [
      'trx_id',
      'application',
      'state',
      'started_at',
      'ended_at',
      'rows_locked',
      'locked_table',
      'sql_text',
    ],
    rows: [
      ...ended,
      [
        LEDGER.transaction,
        LEDGER.application,
        'ACTIVE',
        new Date(timeline.ledgerExport),
        null,
        HISTORIC_ORDERS,
        'orders',
        LEDGER.statement,
      ],
    ],
  };
}
