/**
 * When to stop: SIGINT, SIGTERM, SIGHUP, or the end of the pipe from the program that started this one. One Ctrl-C may
 * arrive more than once (from the terminal, and handed on by the programs above), so that what follows at once belongs to
 * the first; a later one means hurry.
 */
import { Socket } from 'node:net';

const SAME_PRESS_MS = 1000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface StopSignals {
  /** Aborts at the first request to stop. */
  readonly stop: AbortSignal;
  /** Aborts at the second. */
  readonly hurry: AbortSignal;
  /** Asks for the stop from within. */
  request(): void;
  dispose(): void;
}

/**
 * `parentPipe` (from `SWORN_PARENT_PIPE`) is `<number of an inherited pipe>:<process that holds its other end>`; it counts
 * only when that process is this one's parent, since the variable reaches later generations and the pipe does not.
 */
export function watchStopSignals(
  parentPipe: string | undefined = process.env['SWORN_PARENT_PIPE'],
): StopSignals {
  const stop = new AbortController();
  const hurry = new AbortController();
  let first: number | undefined;
  const onSignal = (): void => {
    const now = performance.now();
    if (first === undefined) {
      first = now;
      stop.abort();
    } else if (now - first > SAME_PRESS_MS) hurry.abort();
  };
  const request = (): void => {
    first ??= performance.now();
    stop.abort();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  const parent = followParent(parentPipe, request);
  return {
    stop: stop.signal,
    hurry: hurry.signal,
    request,
    dispose: () => {
      for (const signal of SIGNALS) process.off(signal, onSignal);
      parent?.destroy();
    },
  };
}

function followParent(text: string | undefined, gone: () => void): Socket | undefined {
  const [, fd, parent] = /^([3-9]):(\d+)$/.exec(text ?? '') ?? [];
  if (fd === undefined || Number(parent) !== process.ppid) return undefined;
  const pipe = new Socket({ fd: Number(fd), readable: true, writable: false });
  pipe.on('end', gone).on('error', gone).resume();
  pipe.unref();
  return pipe;
}
