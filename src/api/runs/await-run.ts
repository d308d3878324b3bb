/**
 * Waits for a Run on behalf of a request that is held open: subscribe, read the row, wait for a frame, read again. The
 * row is read once a second beside that, so a lost frame or a Redis that is away costs a second at most.
 */
import type { EventName, Frame } from '../../shared/domain/contracts/events.js';
import { StoreUnavailable } from '../../shared/ports/errors.js';
import type { Subscription } from '../../shared/ports/event-log.js';
import type { ApiDeps } from '../deps.js';

const POLL_MS = 1000;

export type AwaitDeps = Pick<ApiDeps, 'events' | 'log'>;

export interface RunWait<T> {
  runId: string;
  waitMs: number;
  /** Aborted when the client is gone or the process shuts down. */
  signals: readonly AbortSignal[];
  /** Frames that make another look worth while. */
  wakes: (event: EventName) => boolean;
  /** Null: not yet. */
  look: () => Promise<T | null>;
}

/** What `look` found, or null when the time was over or a signal aborted. Never later than `waitMs` plus one look. */
export async function awaitRun<T>(deps: AwaitDeps, wait: RunWait<T>): Promise<T | null> {
  const alarm = new Alarm(wait.waitMs, wait.signals);
  let subscription: Subscription | null = null;
  try {
    subscription = await subscribe(deps, wait, alarm);
    for (;;) {
      const found = await lookOnce(wait.look);
      if (found !== null) return found;
      if (alarm.isOver) return null;
      await alarm.next(POLL_MS);
    }
  } finally {
    alarm.dispose();
    await closeQuietly(subscription);
  }
}

/** A subscription only makes the answer faster. */
async function subscribe<T>(deps: AwaitDeps, wait: RunWait<T>, alarm: Alarm): Promise<Subscription | null> {
  const wake = (): void => alarm.wake();
  try {
    const onFrame = ({ event }: Frame): void => {
      if (wait.wakes(event)) alarm.wake();
    };
    return await deps.events.subscribe(wait.runId, onFrame, wake);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    deps.log.debug({ runId: wait.runId, err: error }, 'a wait goes on without frames');
    return null;
  }
}

/** A store that is away for a moment is not the end of the wait. */
async function lookOnce<T>(look: () => Promise<T | null>): Promise<T | null> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof StoreUnavailable) return null;
    throw error;
  }
}

async function closeQuietly(subscription: Subscription | null): Promise<void> {
  try {
    await subscription?.close();
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
  }
}

/** Ends a pause early: on a wake, at the deadline, on an aborted signal. */
class Alarm {
  readonly #deadline: NodeJS.Timeout;
  #over = false;
  #woken = false;
  #resume: (() => void) | null = null;

  constructor(
    waitMs: number,
    private readonly signals: readonly AbortSignal[],
  ) {
    this.#deadline = setTimeout(this.#end, waitMs);
    for (const signal of signals) signal.addEventListener('abort', this.#end, { once: true });
    if (signals.some((signal) => signal.aborted)) this.#over = true;
  }

  readonly #end = (): void => {
    this.#over = true;
    this.#resume?.();
  };

  get isOver(): boolean {
    return this.#over;
  }

  wake(): void {
    this.#woken = true;
    this.#resume?.();
  }

  /** A wake since the last pause makes this one return at once. */
  async next(maxMs: number): Promise<void> {
    if (!this.#woken && !this.#over) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => this.#resume?.(), maxMs);
        this.#resume = (): void => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#resume = null;
    }
    this.#woken = false;
  }

  dispose(): void {
    clearTimeout(this.#deadline);
    for (const signal of this.signals) signal.removeEventListener('abort', this.#end);
  }
}
