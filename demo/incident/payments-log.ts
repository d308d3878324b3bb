/** The payments service's log: syslog (RFC 5424), facility local0. It is noisy, and has no part in the incident. */
import type { Checkout, Traffic } from './checkout-traffic.js';
import { isoTime, type LogLine } from './log-line.js';
import { createRandom, recurring } from './random.js';
import { SEED } from './shop-facts.js';
import type { Timeline } from './timeline.js';

const FACILITY = 16 * 8;
const SEVERITY = { error: 3, warning: 4, notice: 5, info: 6 } as const;

export function paymentsLog({ timeline, checkouts }: Traffic): LogLine[] {
  return [...checkouts.flatMap(paymentLines), ...deployLines(timeline), ...noise(timeline)];
}

function paymentLines({ answered, payment, quantity, priceCents }: Checkout): LogLine[] {
  if (answered === null || payment === null) return [];
  const at = payment.at + payment.durationMs;
  const amount = ((quantity * priceCents) / 100).toFixed(2);
  return [
    payment.authorised
      ? line(
          at,
          'info',
          'AUTH',
          `payment authorised for order ${answered.orderId}, ${amount} EUR in ${payment.durationMs} ms`,
        )
      : line(
          at,
          'notice',
          'AUTH',
          `payment declined for order ${answered.orderId}, ${amount} EUR: insufficient funds`,
        ),
  ];
}

function deployLines({ paymentsDeploy }: Timeline): LogLine[] {
  return [
    line(paymentsDeploy, 'notice', 'DEPLOY', 'version 4.18.2 rolling out, replaces 4.18.1'),
    line(paymentsDeploy + 47_000, 'notice', 'DEPLOY', 'version 4.18.2 serving on 3 of 3 instances'),
  ];
}

/** What this log always holds, before the incident as well. */
function noise(timeline: Timeline): LogLine[] {
  const random = createRandom(`${SEED}: payments noise`);
  const at = (meanMs: number): number[] => recurring(random, timeline.start, timeline.end, meanMs);
  return [
    ...at(42_000).map((time) =>
      line(
        time,
        'warning',
        'TLS',
        `renegotiation requested by acquirer ${random.pick(['north', 'south'])}, going on`,
      ),
    ),
    ...at(150_000).map((time) =>
      line(
        time,
        'error',
        'MAIL',
        `receipt for order ${random.int(40_000, 47_999)} not delivered: mailbox full`,
      ),
    ),
    ...at(600_000).map((time) =>
      line(time, 'info', 'SETTLE', `settlement batch of ${random.int(80, 160)} payments handed over`),
    ),
  ];
}

function line(at: number, severity: keyof typeof SEVERITY, messageId: string, text: string): LogLine {
  return {
    at,
    text: `<${FACILITY + SEVERITY[severity]}>1 ${isoTime(at)} pay-1 payments 812 ${messageId} - ${text}`,
  };
}
