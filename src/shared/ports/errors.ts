/** Faults that ports may reject with; adapters translate their client's errors into these in one file each. */

/** The operator must act: a store, queue or endpoint is out of reach. `what` is `Redis` or `MySQL`. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  constructor(
    readonly what: 'Redis' | 'MySQL',
    options?: ErrorOptions,
  ) {
    super(`${what} is out of reach`, options);
  }
}
