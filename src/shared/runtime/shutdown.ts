/**
 * Ordered shutdown against one clock: every step is tried, in the order given, each within what is left of the total;
 * one that fails or hangs does not keep the later ones from their turn.
 */
import type { Logger } from '../ports/logger.js';

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
  const failed: string[] = [];
  for (const [index, step] of steps.entries()) {
    const left = Math.max(0, deadline - Date.now());
    const share = Math.max(250, left / Math.max(1, (steps.length - index) / 2));
    const outcome = await within(step.close, Math.min(share, Math.max(250, left)));
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
