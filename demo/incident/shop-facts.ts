/** Names and figures that logs and tables of the shop have in common. */

export const SEED = 'shop checkout incident';

/** Orders that were there before the logs begin. */
export const HISTORIC_ORDERS = 48_000;
export const CUSTOMERS = 2000;
/** A historic order every so many seconds. */
export const HISTORIC_SPACING_S = 300;

export const MIGRATION = {
  version: '0047',
  name: '0047_drop_unused_order_indexes',
  description: 'drop indexes that the weekly index report lists as unused',
  index: 'idx_orders_customer_id',
  statement: 'ALTER TABLE orders DROP INDEX idx_orders_customer_id',
  durationMs: 318,
} as const;

export const LEDGER = {
  transaction: 90_311,
  application: 'ledger-export',
  statement:
    'SELECT id, customer_id, status, total_cents FROM orders WHERE created_at >= ? ORDER BY id LOCK IN SHARE MODE',
} as const;

/** What the orders service asks at each checkout; the dropped index served it. */
export const OPEN_ORDERS_SQL =
  'SELECT id, status, total_cents FROM orders WHERE customer_id = ? AND status = ? FOR UPDATE';

/** The orders service logs a statement as slow from here on. */
export const SLOW_QUERY_MS = 1000;
/** The database gives up waiting for a row lock. */
export const LOCK_WAIT_TIMEOUT_MS = 8000;
/** Checkout gives up waiting for orders, twice. */
export const ORDERS_TIMEOUT_MS = 5000;
/** The gateway gives up waiting for checkout. */
export const GATEWAY_TIMEOUT_MS = 10_000;
/** Checkout calls itself slow from here on. */
export const CHECKOUT_OBJECTIVE_MS = 2000;
