/**
 * The time of one call: its total, its idle time from the first chunk on, and the caller's signal, behind one child
 * controller that is disposed with the call, so that nothing piles up on a long-lived signal.
 */
export type StopReason = 'timeout' | 'cancelled';

export class CallClock {
  private readonly controller = new AbortController();
  private readonly total: NodeJS.Timeout;
  private idle: NodeJS.Timeout | undefined;
  private stop: StopReason | null = null;
  private readonly onAbort = (): void => {
    this.abort('cancelled');
  };

  constructor(
    private readonly caller: AbortSignal,
    totalMs: number,
    private readonly idleMs: number,
  ) {
    this.total = setTimeout(() => {
      this.abort('timeout');
    }, totalMs);
    caller.addEventListener('abort', this.onAbort);
    if (caller.aborted) this.abort('cancelled');
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Why the call was stopped; null while it may go on. */
  reason(): StopReason | null {
    return this.stop;
  }

  abort(reason: StopReason): void {
    this.stop ??= reason;
    this.controller.abort();
  }

  /** A chunk arrived. */
  touch(): void {
    clearTimeout(this.idle);
    this.idle = setTimeout(() => {
      this.abort('timeout');
    }, this.idleMs);
  }

  /** Settles with the work, or as soon as the call is stopped, whatever the work does then. */
  async guard(work: Promise<void>): Promise<void> {
    const stopped = new Promise<void>((resolve) => {
      if (this.signal.aborted) resolve();
      else
        this.signal.addEventListener(
          'abort',
          () => {
            resolve();
          },
          { once: true },
        );
    });
    work.catch(() => undefined);
    await Promise.race([work, stopped]);
  }

  dispose(): void {
    clearTimeout(this.total);
    clearTimeout(this.idle);
    this.caller.removeEventListener('abort', this.onAbort);
    this.controller.abort();
  }
}
