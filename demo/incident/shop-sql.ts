/**
 * The `shop` database as statements, to be run in order on a schema that is selected and empty. Old orders are computed
 * by the server; what happened within the logs is written row by row from the same traffic as the logs.
 */
import { checkoutTraffic } from './checkout-traffic.js';
import { CUSTOMERS, HISTORIC_ORDERS, HISTORIC_SPACING_S } from './shop-facts.js';
import { recentRows, type Cell, type TableRows } from './shop-rows.js';
import { SHOP_TABLES } from './shop-tables.js';

const ROWS_PER_INSERT = 500;
const DIGITS = Array.from({ length: 10 }, (_, digit) => `SELECT ${digit}${digit === 0 ? ' AS d' : ''}`).join(
  ' UNION ALL ',
);

export function shopSql(now: Date): string[] {
  const traffic = checkoutTraffic(now);
  return [
    ...SHOP_TABLES,
    'START TRANSACTION',
    ...historicRows(traffic.timeline.start),
    ...recentRows(traffic).flatMap(inserts),
    'COMMIT',
    'ANALYZE TABLE orders, order_items, payments, slow_query_log',
  ];
}

/** Whole numbers from 1 to `count` as a derived table `numbers(n)`. */
function numbers(count: number): string {
  const places = String(count - 1).length;
  const names = Array.from({ length: places }, (_, place) => `d${place}`);
  const value = names.map((name, place) => `${name}.d * ${10 ** place}`).join(' + ');
  const joined = names.map((name) => `(${DIGITS}) ${name}`).join(' CROSS JOIN ');
  return `(SELECT 1 + ${value} AS n FROM ${joined} HAVING n <= ${count} ORDER BY n) numbers`;
}

function historicRows(start: number): string[] {
  const before = (n: string): string =>
    `TIMESTAMPADD(SECOND, (${n} - ${HISTORIC_ORDERS + 1}) * ${HISTORIC_SPACING_S}, ${literal(new Date(start))})`;
  return [
    `INSERT INTO customers (id, name, country, created_at)
      SELECT n, CONCAT('Customer ', n), ELT(1 + n % 5, 'DE', 'FR', 'NL', 'PL', 'SE'), ${before('n')} FROM ${numbers(CUSTOMERS)}`,
    `INSERT INTO orders (id, customer_id, status, total_cents, currency, created_at)
      SELECT n, 1 + n * 7919 % ${CUSTOMERS}, 'PAID', (1 + n % 3) * (700 + n * 37 % 9000), 'EUR', ${before('n')}
      FROM ${numbers(HISTORIC_ORDERS)}`,
    `INSERT INTO order_items (id, order_id, sku, quantity, price_cents)
      SELECT id, id, CONCAT('SKU-', LPAD(1 + id % 480, 4, '0')), 1 + id % 3, 700 + id * 37 % 9000 FROM orders ORDER BY id`,
    `INSERT INTO payments (id, order_id, status, amount_cents, duration_ms, created_at)
      SELECT id, id, 'AUTHORISED', total_cents, 110 + id * 31 % 300, TIMESTAMPADD(SECOND, 1, created_at) FROM orders ORDER BY id`,
  ];
}

function inserts({ table, columns, rows }: TableRows): string[] {
  const statements: string[] = [];
  for (let from = 0; from < rows.length; from += ROWS_PER_INSERT) {
    const values = rows.slice(from, from + ROWS_PER_INSERT).map((row) => `(${row.map(literal).join(', ')})`);
    statements.push(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ${values.join(', ')}`);
  }
  return statements;
}

/** Texts here are the demo's own; quotes and backslashes are doubled all the same. */
function literal(cell: Cell): string {
  if (cell === null) return 'NULL';
  if (typeof cell === 'number') return String(cell);
  if (cell instanceof Date) return `'${cell.toISOString().slice(0, 23).replace('T', ' ')}'`;
  return `'${cell.replace(/['\\]/g, '$&$&')}'`;
}
