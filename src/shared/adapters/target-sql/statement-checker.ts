/**
 * {@link checkStatement} under a clock: one thread, one statement at a time, and a thread that takes too long is ended.
 * Neither the event loop nor another Run waits for a statement that was made to be dear.
 */
import { Worker } from 'node:worker_threads';
import type { SqlPolicy } from './sql-allowed.js';
import { invalid } from './sql-refusal.js';
import type { CheckedStatement } from './statement-check.js';

const CHECK_MS = 1000;
const START_MS = 10_000;
const LIMITS = { maxOldGenerationSizeMb: 128, stackSizeMb: 4 };

const TOO_DEAR = invalid(
  'the statement takes too long to check: nest it less deeply, or split it into simpler ones',
);
const CLOSED = { ok: false, code: 'UNAVAILABLE', message: 'the tool is being closed' } as const;

export type CheckOutcome = CheckedStatement | typeof CLOSED;

export class StatementChecker {
  #thread: Promise<Worker> | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #closed = false;

  /** Never rejects; a statement whose signal is aborted when its turn comes is refused unread. */
  check(sql: string, policy: SqlPolicy, signal: AbortSignal): Promise<CheckOutcome> {
    const turn: Promise<CheckOutcome> = this.#turn.then((): CheckOutcome | Promise<CheckOutcome> =>
      signal.aborted || this.#closed ? CLOSED : this.#checkNow(sql, policy),
    );
    this.#turn = turn;
    return turn;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#turn;
    await this.#end();
  }

  async #checkNow(sql: string, policy: SqlPolicy): Promise<CheckedStatement> {
    try {
      const thread = await (this.#thread ??= startThread());
      const answer = nextMessage(thread, CHECK_MS);
      thread.postMessage({ sql, policy });
      return (await answer) as CheckedStatement;
    } catch {
      await this.#end();
      return TOO_DEAR;
    }
  }

  async #end(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.then(
      (worker) => worker.terminate(),
      () => undefined,
    );
  }
}

async function startThread(): Promise<Worker> {
  const thread = new Worker(new URL('./statement-worker.js', import.meta.url), { resourceLimits: LIMITS });
  thread.unref();
  try {
    await nextMessage(thread, START_MS);
    return thread;
  } catch (error) {
    await thread.terminate();
    throw error;
  }
}

/** Rejects when the thread ends or fails first, or says nothing in time. */
function nextMessage(thread: Worker, limitMs: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => (): void => {
      clearTimeout(timer);
      thread.off('message', onMessage).off('error', onEnd).off('exit', onEnd);
      act();
    };
    const onMessage = (message: unknown): void => {
      settle(() => {
        resolve(message);
      })();
    };
    const onEnd = settle(() => {
      reject(new Error('the thread ended'));
    });
    const timer = setTimeout(onEnd, limitMs);
    thread.on('message', onMessage).on('error', onEnd).on('exit', onEnd);
  });
}
