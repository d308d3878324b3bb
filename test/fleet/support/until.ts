/** Waits on conditions, within a bound that only a defect reaches. */
import { setTimeout as delay } from 'node:timers/promises';

const LIMIT_MS = 20_000;

export async function until<T>(what: string, probe: () => T | Promise<T>): Promise<NonNullable<T>> {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    const value = await probe();
    if (value !== null && value !== undefined && value !== false) return value;
    if (performance.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await delay(20);
  }
}
