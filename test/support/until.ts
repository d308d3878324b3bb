/** Waits on a condition, never on luck; fails with what was waited for. */
const POLL_MS = 20;
const DEFAULT_LIMIT_MS = 15_000;

export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  limitMs: number = DEFAULT_LIMIT_MS,
): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited ${limitMs} ms for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
