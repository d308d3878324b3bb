/**
 * Ordered shutdown against one clock: every step is tried, in the order given. A step may take all that is left of the
 * total but a reserve for each later one, so that what drains has its time, and one that fails or hangs does not keep the
 * later ones from their turn.
 */
import type { Logger } from '../ports/logger.js';

const RESERVE_MS = 1000;

export interface ShutdownStep {
  name: string;
  /** Ends what it owns; a rejection is logged. */
  close: () => Promise<unknown>;
}

/** Resolves to the names of the steps that failed or ran out of time; empty when all went well. Never rejects. */
export async function shutDown(
  steps: readonly ShutdownStep[],
  totalMs: number,
  log: Logger,
): Promise<string[]> {
  const deadline = Date.now() + totalMs;
  const reserve = Math.min(RESERVE_MS, totalMs / (4 * Math.max(1, steps.length)));
  const failed: string[] = [];
  for (const [index, step] of steps.entries()) {
    const later = (steps.length - index - 1) * reserve;
    const outcome = await within(step.close, Math.max(reserve, deadline - Date.now() - later));
    if (outcome === 'done') continue;
    failed.push(step.name);
    log.warn(
      { step: step.name, outcome: outcome === 'late' ? 'late' : 'failed' },
      'shutdown step did not end well',
    );
  }
  return failed;
}

async function within(close: () => Promise<unknown>, ms: number): Promise<'done' | 'late' | 'failed'> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => {
      resolve('late');
    }, ms);
  });
  try {
    return await Promise.race([close().then(() => 'done' as const), late]);
  } catch {
    return 'failed';
  } finally {
    clearTimeout(timer);
  }
}
