/** Lets a long computation leave the event loop to others in between, and stop when its signal says so. */
import { setImmediate as nextTurn } from 'node:timers/promises';

const SLICE_MS = 8;

export class Pacer {
  #since = performance.now();

  constructor(private readonly signal: AbortSignal) {}

  /** True when this turn has been used up; cheap enough to be asked every few hundred lines. */
  due(): boolean {
    return performance.now() - this.#since >= SLICE_MS;
  }

  /** @throws the signal's reason once it is aborted. */
  async rest(): Promise<void> {
    await nextTurn();
    this.signal.throwIfAborted();
    this.#since = performance.now();
  }
}
