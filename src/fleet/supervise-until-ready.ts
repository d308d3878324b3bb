/** Starts processes under watch and waits until they answer, or says why they do not. */
import { setTimeout as delay } from 'node:timers/promises';
import { StartFault } from '../shared/runtime/start-fault.js';
import { supervise, type Death, type Supervisor, type SupervisorOptions } from './supervisor.js';

const POLL_MS = 40;
const REQUEST_MS = 2000;
const GRACE_MS = 5000;
/** A process that died this often before all was ready will not get ready by more of the same. */
const MAX_DEATHS = 3;

export interface Readiness {
  /** Answers 2xx when all is ready. */
  url: string;
  timeoutMs: number;
  /** Gives up the wait, and ends what was started. */
  signal: AbortSignal;
}

/** @throws {StartFault} after ending all of them. */
export async function superviseUntilReady(
  options: SupervisorOptions,
  readiness: Readiness,
): Promise<Supervisor> {
  const failed = new AbortController();
  const last: { death?: Death } = {};
  const waiting = { over: false };
  const onDeath = (death: Death): boolean => {
    last.death = death;
    if (waiting.over || death.count < MAX_DEATHS) return options.onDeath?.(death) ?? true;
    failed.abort();
    return false;
  };
  const supervisor = supervise({ ...options, onDeath });
  const stop = AbortSignal.any([failed.signal, readiness.signal, AbortSignal.timeout(readiness.timeoutMs)]);
  try {
    await untilAnswers(readiness.url, stop);
    waiting.over = true;
    return supervisor;
  } catch {
    await supervisor.stop(GRACE_MS);
    throw new StartFault(faultText(readiness, last.death));
  }
}

function faultText(readiness: Readiness, death: Death | undefined): string {
  if (readiness.signal.aborted) return 'The start was given up.';
  if (death === undefined) {
    return `${readiness.url} did not answer in ${Math.round(readiness.timeoutMs / 1000)} s.`;
  }
  const words = death.lastWords === '' ? '.' : `; its last words:\n${death.lastWords}`;
  return `The process ${death.process} does not stay up (${death.how})${words}`;
}

/** Asks again and again until the answer is 2xx. @throws when `signal` aborts. */
async function untilAnswers(url: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    try {
      const response = await fetch(url, {
        signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]),
      });
      await response.body?.cancel();
      if (response.ok) return;
    } catch {
      // nobody listens yet
    }
    await delay(POLL_MS, undefined, { signal });
  }
}
