/** The checkout service's log: JSON lines. */
import { timedOut, type Checkout, type Traffic } from './checkout-traffic.js';
import { isoTime, type LogLine } from './log-line.js';
import { createRandom, recurring } from './random.js';
import { CHECKOUT_OBJECTIVE_MS, ORDERS_TIMEOUT_MS, SEED } from './shop-facts.js';
import type { Timeline } from './timeline.js';

type Level = 'info' | 'warn' | 'error';

export function checkoutLog({ timeline, checkouts }: Traffic): LogLine[] {
  return [...checkouts.flatMap(checkoutLines), ...noise(timeline)];
}

function checkoutLines(checkout: Checkout): LogLine[] {
  const { requestId, customerId, calls, answered, payment, start, end } = checkout;
  const own = { request_id: requestId, customer_id: customerId };
  const timeouts = calls.filter(timedOut).map((call, index) =>
    line(call.start + ORDERS_TIMEOUT_MS, 'error', `timeout after ${ORDERS_TIMEOUT_MS} ms calling orders`, {
      upstream: 'orders',
      operation: 'POST /orders',
      attempt: index + 1,
      ...own,
    }),
  );
  const ms = end - start;
  if (answered === null || payment === null)
    return [
      ...timeouts,
      line(end + 60, 'error', 'checkout failed: orders did not answer in time', {
        duration_ms: ms + 60,
        ...own,
      }),
    ];
  const done = { order_id: answered.orderId, duration_ms: ms, ...own };
  if (!payment.authorised) return [...timeouts, line(end, 'info', 'checkout ended: payment declined', done)];
  return [
    ...timeouts,
    ms > CHECKOUT_OBJECTIVE_MS
      ? line(end, 'warn', `slow checkout: ${ms} ms, objective ${CHECKOUT_OBJECTIVE_MS} ms`, done)
      : line(end, 'info', 'checkout completed', done),
  ];
}

/** What this log always holds, before the incident as well. */
function noise(timeline: Timeline): LogLine[] {
  const random = createRandom(`${SEED}: checkout noise`);
  const at = (meanMs: number): number[] => recurring(random, timeline.start, timeline.end, meanMs);
  return [
    ...at(55_000).map((time) =>
      line(time, 'warn', 'recommendations call failed: connection reset by peer, going on without', {
        upstream: 'recommendations',
        request_id: random.hex(16),
      }),
    ),
    ...at(230_000).map((time) =>
      line(time, 'warn', `gc pause ${random.int(140, 290)} ms`, {
        generation: 'old',
        heap_mib: random.int(410, 520),
      }),
    ),
    ...at(60_000).map((time) =>
      line(time, 'info', 'cart snapshot written', {
        carts: random.int(30, 90),
        duration_ms: random.int(8, 40),
      }),
    ),
  ];
}

function line(at: number, level: Level, msg: string, fields: Readonly<Record<string, unknown>>): LogLine {
  return { at, text: JSON.stringify({ time: isoTime(at), level, service: 'checkout', msg, ...fields }) };
}
