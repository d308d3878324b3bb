/**
 * Which connections own a Run (contract §2): the stream that started it, and those that the same principal resumed. The
 * fleet shares it, since a client may resume at any replica.
 *
 * Contract: a hold is a lease; it lapses when its process dies. `hold` renews it. A store out of reach rejects with
 * `StoreUnavailable`.
 */
export interface RunOwners {
  /** `connectionId` is unique over the fleet; `leaseMs` is longer than the time between two renewals. */
  hold(runId: string, connectionId: string, leaseMs: number): Promise<void>;
  release(runId: string, connectionId: string): Promise<void>;
  /** True while any connection's hold lives. */
  isHeld(runId: string): Promise<boolean>;
}
