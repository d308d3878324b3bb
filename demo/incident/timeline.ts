/** When things happen in the incident, in milliseconds since the epoch; all relative to the moment it is made. */

export interface Timeline {
  /** The logs begin. */
  start: number;
  /** A payments release goes out; it has nothing to do with what follows. */
  paymentsDeploy: number;
  /** The migration drops the index on orders.customer_id. */
  migration: number;
  /** The ledger export opens its transaction and does not end it. */
  ledgerExport: number;
  /** The moment the incident is made: nothing is logged at or after it. */
  end: number;
}

const MINUTE = 60_000;

export function timelineOf(now: Date): Timeline {
  const end = now.getTime();
  return {
    start: end - 85 * MINUTE,
    paymentsDeploy: end - 66 * MINUTE,
    migration: end - 39 * MINUTE,
    ledgerExport: end - 27 * MINUTE,
    end,
  };
}
