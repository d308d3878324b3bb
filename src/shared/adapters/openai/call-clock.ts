/**
 * The time of one call: its total, its idle time from the first chunk on, and the caller's signal, behind one child
 * controller. Disposed with the call, so that neither timers nor listeners pile up on a long-lived signal.
 */
export type StopReason = 'timeout' | 'idle' | 'settled' | 'cancelled';

export interface CallTimes {
  totalMs: number;
  /** Without a byte, once the first chunk has come. */
  idleMs: number;
}

/** How long the next chunk or the end of the stream may take once the answer itself is whole. */
const TAIL_MS = 500;
/** Node's timers take no more. */
export const LONGEST_TIMER_MS = 2_147_483_647;

export class CallClock {
  private readonly controller = new AbortController();
  private readonly total: NodeJS.Timeout;
  private idle: NodeJS.Timeout | undefined;
  private phase: 'answering' | 'whole' | 'done' = 'answering';
  private stop: StopReason | null = null;
  private readonly onAbort = (): void => {
    this.abort('cancelled');
  };

  constructor(
    private readonly caller: AbortSignal,
    private readonly times: CallTimes,
  ) {
    this.total = this.timer('timeout', times.totalMs);
    if (times.totalMs <= 0) this.abort('timeout');
    caller.addEventListener('abort', this.onAbort);
    if (caller.aborted) this.abort('cancelled');
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Why the call was stopped; null while it may go on. The first reason stands, but a cancellation overrules. */
  reason(): StopReason | null {
    return this.stop;
  }

  abort(reason: StopReason): void {
    this.stop = reason === 'cancelled' ? reason : (this.stop ?? reason);
    this.controller.abort();
  }

  /** A chunk of the answer came: the idle time begins, or begins anew. */
  chunk(): void {
    switch (this.phase) {
      case 'answering':
        this.await('idle', this.times.idleMs);
        break;
      case 'whole':
        this.await('settled', TAIL_MS);
        break;
      case 'done':
        break;
    }
  }

  /** Bytes came, perhaps a mere sign of life: they keep an idle time from ending, but begin none. */
  bytes(): void {
    if (this.idle !== undefined && this.phase === 'answering') this.chunk();
  }

  /** The answer has its end; the usage may follow, and the end of the stream, so that the connection can be used again. */
  whole(): void {
    if (this.phase === 'answering') this.phase = 'whole';
    this.chunk();
  }

  /** The stream said that nothing follows. */
  done(): void {
    if (this.phase !== 'done') this.await('settled', TAIL_MS);
    this.phase = 'done';
  }

  /** What the work came to, or null as soon as the call is stopped, whatever the work does then. */
  async guard<T>(work: Promise<T>): Promise<T | null> {
    work.catch(() => undefined);
    const stopped = new Promise<null>((resolve) => {
      if (this.signal.aborted) resolve(null);
      this.signal.addEventListener('abort', () => resolve(null), { once: true });
    });
    return Promise.race([work, stopped]);
  }

  dispose(): void {
    clearTimeout(this.total);
    clearTimeout(this.idle);
    this.caller.removeEventListener('abort', this.onAbort);
  }

  private await(reason: StopReason, ms: number): void {
    clearTimeout(this.idle);
    this.idle = this.timer(reason, ms);
  }

  private timer(reason: StopReason, ms: number): NodeJS.Timeout {
    return setTimeout(() => this.abort(reason), Math.min(Math.max(ms, 0), LONGEST_TIMER_MS));
  }
}
