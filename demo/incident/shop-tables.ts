/** The tables of the `shop` database. `orders` has no index on customer_id: that is the incident. */

/** Marks the schema as the demo's own, which it may drop; stands on `schema_migrations`. */
export const SHOP_MARK = 'made by the sworn demo, which makes it anew at each start';

const TIME = 'DATETIME(3)';

export const SHOP_TABLES: readonly string[] = [
  `CREATE TABLE customers (
    id INT NOT NULL PRIMARY KEY, name VARCHAR(80) NOT NULL, country CHAR(2) NOT NULL, created_at ${TIME} NOT NULL)`,
  `CREATE TABLE orders (
    id INT NOT NULL PRIMARY KEY, customer_id INT NOT NULL, status VARCHAR(16) NOT NULL, total_cents INT NOT NULL,
    currency CHAR(3) NOT NULL, created_at ${TIME} NOT NULL, KEY idx_orders_created_at (created_at))`,
  `CREATE TABLE order_items (
    id INT NOT NULL PRIMARY KEY, order_id INT NOT NULL, sku VARCHAR(16) NOT NULL, quantity INT NOT NULL,
    price_cents INT NOT NULL, KEY idx_order_items_order_id (order_id))`,
  `CREATE TABLE payments (
    id INT NOT NULL PRIMARY KEY, order_id INT NOT NULL, status VARCHAR(16) NOT NULL, amount_cents INT NOT NULL,
    duration_ms INT NOT NULL, created_at ${TIME} NOT NULL, KEY idx_payments_order_id (order_id),
    KEY idx_payments_created_at (created_at))`,
  `CREATE TABLE schema_migrations (
    version VARCHAR(16) NOT NULL PRIMARY KEY, name VARCHAR(80) NOT NULL, description VARCHAR(200) NOT NULL,
    sql_text VARCHAR(400) NOT NULL, applied_at ${TIME} NOT NULL, duration_ms INT NOT NULL) COMMENT='${SHOP_MARK}'`,
  `CREATE TABLE slow_query_log (
    id INT NOT NULL PRIMARY KEY, start_time ${TIME} NOT NULL, table_name VARCHAR(64) NOT NULL,
    query_time_ms INT NOT NULL, lock_time_ms INT NOT NULL, rows_examined INT NOT NULL, sql_text VARCHAR(400) NOT NULL,
    KEY idx_slow_query_log_start_time (start_time))`,
  `CREATE TABLE lock_wait_log (
    id INT NOT NULL PRIMARY KEY, occurred_at ${TIME} NOT NULL, table_name VARCHAR(64) NOT NULL,
    waited_ms INT NOT NULL, blocking_trx_id INT NOT NULL, sql_text VARCHAR(400) NOT NULL)`,
  `CREATE TABLE transaction_log (
    trx_id INT NOT NULL PRIMARY KEY, application VARCHAR(64) NOT NULL, state VARCHAR(16) NOT NULL,
    started_at ${TIME} NOT NULL, ended_at ${TIME} NULL, rows_locked INT NOT NULL, locked_table VARCHAR(64) NOT NULL,
    sql_text VARCHAR(400) NOT NULL)`,
];
