/** Ownership of Runs in memory; two applications that share it are two replicas. */
import { StoreUnavailable } from '../../../src/shared/ports/errors.js';
import type { RunOwners } from '../../../src/shared/ports/run-owners.js';

export class MemoryOwners implements RunOwners {
  away = false;
  /** What was asked about, in order. */
  readonly asked: string[] = [];
  readonly #leases = new Map<string, Map<string, number>>();

  async hold(runId: string, connectionId: string, leaseMs: number): Promise<void> {
    await this.#reach();
    const leases = this.#leases.get(runId) ?? new Map<string, number>();
    this.#leases.set(runId, leases.set(connectionId, Date.now() + leaseMs));
  }

  async release(runId: string, connectionId: string): Promise<void> {
    await this.#reach();
    this.#leases.get(runId)?.delete(connectionId);
  }

  async isHeld(runId: string): Promise<boolean> {
    await this.#reach();
    this.asked.push(runId);
    return [...(this.#leases.get(runId)?.values() ?? [])].some((until) => until > Date.now());
  }

  async #reach(): Promise<void> {
    await Promise.resolve();
    if (this.away) throw new StoreUnavailable('Redis');
  }
}
