/** The gateway's access log, in nginx's combined form with the request time behind it; written when a request ends. */
import type { Checkout, Traffic } from './checkout-traffic.js';
import { accessTime, type LogLine } from './log-line.js';
import { createRandom, recurring, type Random } from './random.js';
import { GATEWAY_TIMEOUT_MS, SEED } from './shop-facts.js';

const AGENTS = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/138.0',
] as const;

interface Request {
  ip: string;
  end: number;
  ms: number;
  request: string;
  status: number;
  bytes: number;
}

export function gatewayLog({ timeline, checkouts }: Traffic): LogLine[] {
  const random = createRandom(`${SEED}: gateway`);
  const browsing = recurring(random, timeline.start, timeline.end, 3000).map((start) =>
    browse(start, random),
  );
  return [...checkouts.map((checkout) => checkoutRequest(checkout, random)), ...browsing].map((request) =>
    line(request, random),
  );
}

/** The gateway does not wait for longer than its timeout, even when checkout would have answered. */
function checkoutRequest(checkout: Checkout, random: Random): Request {
  const { payment, start } = checkout;
  const ms = Math.min(checkout.end - start, GATEWAY_TIMEOUT_MS);
  const gaveUp = payment === null || ms === GATEWAY_TIMEOUT_MS;
  return {
    ip: checkout.ip,
    end: start + ms,
    ms,
    request: 'POST /checkout',
    status: gaveUp ? 504 : payment.authorised ? 201 : 402,
    bytes: gaveUp ? 167 : random.int(380, 640),
  };
}

/** What visitors do besides; none of it changes over the incident. */
function browse(start: number, random: Random): Request {
  const ms = random.int(4, 90);
  const head = { ip: `203.0.113.${random.int(2, 250)}`, end: start + ms, ms };
  const kind = random.next();
  if (kind < 0.5)
    return {
      ...head,
      request: `GET /products/${random.int(1, 480)}`,
      status: 200,
      bytes: random.int(4000, 19_000),
    };
  if (kind < 0.7)
    return {
      ...head,
      request: `GET /search?page=${random.int(1, 6)}`,
      status: 200,
      bytes: random.int(2000, 9000),
    };
  if (kind < 0.86) return { ...head, request: 'GET /cart', status: 200, bytes: random.int(900, 3000) };
  if (kind < 0.97) {
    const failed = random.chance(0.25);
    return {
      ...head,
      request: 'GET /recommendations',
      status: failed ? 502 : 200,
      bytes: failed ? 157 : 2210,
    };
  }
  return { ...head, request: 'GET /apple-touch-icon.png', status: 404, bytes: 153 };
}

function line({ ip, end, ms, request, status, bytes }: Request, random: Random): LogLine {
  const seconds = (ms / 1000).toFixed(3);
  return {
    at: end,
    text: `${ip} - - [${accessTime(end)}] "${request} HTTP/1.1" ${status} ${bytes} "-" "${random.pick(AGENTS)}" request_time=${seconds}`,
  };
}
