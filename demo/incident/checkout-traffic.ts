/**
 * The checkouts of the incident, from which every log line and every row is derived: that is why their figures agree.
 * The orders service looks up a customer's open orders with a locking read. Without its index that read scans the table;
 * beside a long transaction over the same rows it waits for locks as well.
 */
import { createRandom, recurring, type Random } from './random.js';
import {
  CUSTOMERS,
  GATEWAY_TIMEOUT_MS,
  HISTORIC_ORDERS,
  LOCK_WAIT_TIMEOUT_MS,
  ORDERS_TIMEOUT_MS,
  SEED,
} from './shop-facts.js';
import { timelineOf, type Timeline } from './timeline.js';

/** One call of the orders service. It goes on to its end even when checkout no longer waits for it. */
export interface OrdersCall {
  requestId: string;
  customerId: number;
  start: number;
  /** Of the locking read, waiting included. */
  queryMs: number;
  lockMs: number;
  /** Orders in the table when the read began: what a scan examines. */
  rowsExamined: number;
  outcome: 'created' | 'lock_wait_timeout';
  /** The read's end; the order's row is written at `end`. */
  queryEnd: number;
  end: number;
  /** 0 unless created. */
  orderId: number;
}

export interface Payment {
  at: number;
  durationMs: number;
  authorised: boolean;
}

export interface Checkout {
  requestId: string;
  customerId: number;
  ip: string;
  start: number;
  end: number;
  sku: string;
  quantity: number;
  priceCents: number;
  /** One, or two when the first ran into checkout's timeout. */
  calls: OrdersCall[];
  /** The call whose answer checkout took; null when both timed out. */
  answered: OrdersCall | null;
  payment: Payment | null;
}

export interface Traffic {
  timeline: Timeline;
  /** By start. */
  checkouts: Checkout[];
}

const MEAN_GAP_MS = 6000;
const RETRY_PAUSE_MS = 40;

export function checkoutTraffic(now: Date): Traffic {
  const timeline = timelineOf(now);
  const random = createRandom(`${SEED}: checkouts`);
  const checkouts = recurring(random, timeline.start, timeline.end, MEAN_GAP_MS).map((start) =>
    checkoutAt(start, timeline, random),
  );
  numberOrders(checkouts.flatMap(({ calls }) => calls));
  return { timeline, checkouts };
}

function checkoutAt(start: number, timeline: Timeline, random: Random): Checkout {
  const requestId = random.hex(16);
  const customerId = random.int(1, CUSTOMERS);
  const begin = start + random.int(8, 30);
  const first = ordersCall(requestId, customerId, begin, timeline, random);
  const calls = [first];
  if (timedOut(first))
    calls.push(
      ordersCall(requestId, customerId, begin + ORDERS_TIMEOUT_MS + RETRY_PAUSE_MS, timeline, random),
    );
  const answered = calls.find((call) => !timedOut(call)) ?? null;
  const payment = answered === null ? null : paymentAt(answered.end + random.int(3, 12), random);
  return {
    requestId,
    customerId,
    ip: `${random.pick(['203.0.113', '198.51.100'])}.${random.int(2, 250)}`,
    start,
    end: payment === null ? start + GATEWAY_TIMEOUT_MS : payment.at + payment.durationMs + random.int(4, 20),
    sku: `SKU-${String(random.int(1, 480)).padStart(4, '0')}`,
    quantity: random.int(1, 3),
    priceCents: random.int(700, 9700),
    calls,
    answered,
    payment,
  };
}

export function timedOut(call: OrdersCall): boolean {
  return call.outcome === 'lock_wait_timeout' || call.end - call.start > ORDERS_TIMEOUT_MS;
}

function ordersCall(
  requestId: string,
  customerId: number,
  start: number,
  timeline: Timeline,
  random: Random,
): OrdersCall {
  const { scanMs, lockMs } = readTimes(start, timeline, random);
  const gaveUp = lockMs >= LOCK_WAIT_TIMEOUT_MS;
  const queryMs = gaveUp ? LOCK_WAIT_TIMEOUT_MS + random.int(1, 60) : scanMs + lockMs;
  const queryEnd = start + random.int(2, 6) + queryMs;
  return {
    requestId,
    customerId,
    start,
    queryMs,
    lockMs: gaveUp ? queryMs : lockMs,
    rowsExamined: 0,
    outcome: gaveUp ? 'lock_wait_timeout' : 'created',
    queryEnd,
    end: queryEnd + random.int(4, 18),
    orderId: 0,
  };
}

/** Milliseconds of scanning and of waiting for locks. */
function readTimes(at: number, timeline: Timeline, random: Random): { scanMs: number; lockMs: number } {
  if (at < timeline.migration) return { scanMs: random.int(3, 38), lockMs: 0 };
  const spread = 0.65 + 0.7 * random.next();
  const minutes = (at - timeline.migration) / 60_000;
  const scanMs = Math.round((950 + 95 * Math.min(minutes, 14)) * spread);
  if (at < timeline.ledgerExport) return { scanMs, lockMs: 0 };
  return { scanMs, lockMs: random.chance(0.3) ? LOCK_WAIT_TIMEOUT_MS : random.int(300, 4200) };
}

function paymentAt(at: number, random: Random): Payment {
  return { at, durationMs: random.int(110, 420), authorised: !random.chance(0.04) };
}

/** Rows get their numbers in the order in which they are written; a scan examines those written before it began. */
function numberOrders(calls: readonly OrdersCall[]): void {
  const created = calls.filter(({ outcome }) => outcome === 'created').sort((a, b) => a.end - b.end);
  for (const [index, call] of created.entries()) call.orderId = HISTORIC_ORDERS + 1 + index;
  for (const call of calls)
    call.rowsExamined = HISTORIC_ORDERS + created.filter(({ end }) => end < call.start).length;
}
