/**
 * Logs of a shop of the tests' own: a migration drops an index on `orders`, reads get slow, a report's transaction keeps
 * locks, checkout runs into its timeout. Payments complain louder than anything else, and always did.
 */
export const WINDOW = { from: '2024-05-06T10:00:00.000Z', to: '2024-05-06T11:00:00.000Z' };
export const MIGRATED_AT = '2024-05-06T10:20:00.000Z';
export const LOCKED_AT = '2024-05-06T10:30:00.000Z';
export const DROPPED_INDEX = 'idx_orders_buyer';

const START = Date.parse('2024-05-06T09:00:00.000Z');
const END = Date.parse(WINDOW.to);
const MINUTE = 60_000;

type Level = 'info' | 'warn' | 'error';

interface Line {
  at: number;
  level: Level;
  msg: string;
}

/** File name → content, JSON lines. */
export function shopLogs(): Map<string, string> {
  return new Map([
    ['checkout.log', contentOf('checkout', checkoutLines())],
    ['orders.log', contentOf('orders', ordersLines())],
    ['payments.log', contentOf('payments', paymentsLines())],
    [
      'gateway.log',
      contentOf(
        'gateway',
        every(START, 2 * MINUTE, (at) => ({ at, level: 'info', msg: 'routes reloaded' })),
      ),
    ],
  ]);
}

function checkoutLines(): Line[] {
  return [
    ...every(START, 90_000, (at) => ({ at, level: 'warn', msg: 'coupon cache missed, asking the store' })),
    // New in the window, but over before anything was changed.
    { at: Date.parse('2024-05-06T10:07:00.000Z'), level: 'warn', msg: 'session store evicted 40 keys' },
    { at: Date.parse('2024-05-06T10:09:00.000Z'), level: 'warn', msg: 'session store evicted 12 keys' },
    ...every(Date.parse(LOCKED_AT) + 5000, 20_000, (at) => ({
      at,
      level: 'error',
      msg: `no answer from orders within ${3000 + (at % 7)} ms`,
    })),
  ];
}

function ordersLines(): Line[] {
  return [
    ...every(START, 5 * MINUTE, (at) => ({ at, level: 'info', msg: 'stock synchronised' })),
    {
      at: Date.parse(MIGRATED_AT),
      level: 'info',
      msg: `migration 2024 applied: drop index ${DROPPED_INDEX} on orders`,
    },
    ...every(Date.parse(MIGRATED_AT) + 4000, 30_000, (at) => ({
      at,
      level: 'warn',
      msg: `slow statement on orders took ${1200 + (at % 900)} ms`,
    })),
    {
      at: Date.parse(LOCKED_AT),
      level: 'info',
      msg: 'sales report opened transaction 7741, which holds row locks on orders',
    },
    ...every(Date.parse(LOCKED_AT) + 2000, 25_000, (at) => ({
      at,
      level: 'error',
      msg: `lock wait timeout on orders after ${5000 + (at % 90)} ms`,
    })),
  ];
}

/** Louder than the incident, and as loud before it. */
function paymentsLines(): Line[] {
  return every(START, 8000, (at) => ({
    at,
    level: 'error',
    msg: 'webhook of acquirer west has a wrong signature',
  }));
}

function every(from: number, gapMs: number, line: (at: number) => Line): Line[] {
  return Array.from({ length: Math.ceil((END - from) / gapMs) }, (_unused, index) =>
    line(from + index * gapMs),
  );
}

function contentOf(service: string, lines: Line[]): string {
  return [...lines]
    .sort((a, b) => a.at - b.at)
    .map(
      ({ at, level, msg }) =>
        `${JSON.stringify({ time: new Date(at).toISOString(), level, service, msg })}\n`,
    )
    .join('');
}
