/** An abort signal for one call: the caller's own, and a timer; both are let go by `dispose`, so nothing piles up. */
export interface CallSignal {
  readonly signal: AbortSignal;
  /** True once the timer, not the caller, ended the call. */
  readonly timedOut: boolean;
  /** Starts the timer anew: the other side has shown signs of life. */
  renew(): void;
  dispose(): void;
}

/** @param ms until the call is aborted, counted anew from each `renew`. */
export function callSignal(parent: AbortSignal | undefined, ms: number): CallSignal {
  const controller = new AbortController();
  let timedOut = false;
  const start = (): NodeJS.Timeout =>
    setTimeout(() => {
      timedOut = true;
      controller.abort();
    }, ms);
  let timer = start();
  const follow = (): void => {
    controller.abort(parent?.reason);
  };
  if (parent?.aborted === true) follow();
  parent?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    get timedOut() {
      return timedOut;
    },
    renew: () => {
      clearTimeout(timer);
      timer = start();
    },
    dispose: () => {
      clearTimeout(timer);
      parent?.removeEventListener('abort', follow);
    },
  };
}
