/** Writes the incident's four logs, each in its service's own format, into a folder that holds nothing else. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkoutLog } from './checkout-log.js';
import { checkoutTraffic } from './checkout-traffic.js';
import { gatewayLog } from './gateway-log.js';
import type { LogLine } from './log-line.js';
import { ordersLog } from './orders-log.js';
import { paymentsLog } from './payments-log.js';

/** File name → content; the same `now` gives the same bytes. */
export function logFiles(now: Date): ReadonlyMap<string, string> {
  const traffic = checkoutTraffic(now);
  const { end } = traffic.timeline;
  return new Map(
    [
      ['gateway.log', gatewayLog(traffic)] as const,
      ['checkout.log', checkoutLog(traffic)] as const,
      ['orders.log', ordersLog(traffic)] as const,
      ['payments.log', paymentsLog(traffic)] as const,
    ].map(([name, lines]) => [name, contentOf(lines, end)]),
  );
}

/** Lines in the order of their times; what would be written at or after `end` is not there yet. */
function contentOf(lines: readonly LogLine[], end: number): string {
  const written = lines.filter(({ at }) => at < end).sort((a, b) => a.at - b.at);
  return written.map(({ text }) => `${text}\n`).join('');
}

/**
 * Empties the folder first, so that no line of an earlier incident is left in it. The folder must be the demo's own.
 * @returns how many lines were written.
 */
export async function generateLogs(dir: string, now: Date): Promise<number> {
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  let lines = 0;
  for (const [name, content] of logFiles(now)) {
    await writeFile(join(dir, name), content);
    lines += content.split('\n').length - 1;
  }
  return lines;
}
