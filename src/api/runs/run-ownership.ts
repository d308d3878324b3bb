/**
 * Owning connections (contract §2, CA-3): when the last connection that owns a Run has closed early, the Run is cancelled
 * after the grace, unless one that resumed it owns it by then, at whatever replica.
 */
import { createHash } from 'node:crypto';
import { StoreUnavailable } from '../../shared/ports/errors.js';
import type { ApiDeps } from '../deps.js';
import { cancelRun } from './cancel-run.js';

const ATTEMPTS = 5;
const RETRY_MS = 1000;
/** A lease outlives this many missed heartbeats. */
const LEASE_HEARTBEATS = 4;
/** What a shutdown waits for graces that run; a longer one is let go, and its Run goes on. */
const MAX_DRAIN_MS = 5000;

export type OwnershipDeps = Pick<ApiDeps, 'owners' | 'intake' | 'cancel' | 'clock' | 'log' | 'settings'>;

/** How long a principal's mark on the Run that it started lives: longer than any Run. */
const START_MARK_MS = 24 * 60 * 60 * 1000;

/** One connection that owns a Run, or would. */
export interface Hold {
  runId: string;
  connectionId: string;
  principal: string;
}

/** A subject of its own beside the Run, held from the Run's start on: this principal started the Run. */
function startMark({ runId, principal }: Hold): string {
  return `${runId}.by.${createHash('sha256').update(principal, 'utf8').digest('hex').slice(0, 32)}`;
}

interface Grace {
  timer: NodeJS.Timeout;
  over: Promise<void>;
  abandon: () => void;
}

export class RunOwnership {
  readonly #graces = new Set<Grace>();
  #draining = false;

  constructor(private readonly deps: OwnershipDeps) {}

  /** The connection that made the Run owns it; its principal is remembered for those that resume. Never rejects. */
  async begin(hold: Hold): Promise<void> {
    await this.#tolerate(hold.runId, () =>
      this.deps.owners.hold(startMark(hold), hold.connectionId, START_MARK_MS),
    );
    await this.renew(hold);
  }

  /** @returns whether the connection owns the Run now: it does when its principal started it so. Never rejects. */
  async resume(hold: Hold): Promise<boolean> {
    let owns = false;
    await this.#tolerate(hold.runId, async () => {
      if (!(await this.deps.owners.isHeld(startMark(hold)))) return;
      await this.renew(hold);
      owns = true;
    });
    return owns;
  }

  /** Keeps the hold of a connection that owns. Never rejects. */
  async renew({ runId, connectionId }: Hold): Promise<void> {
    const { heartbeatMs, disconnectGraceMs } = this.deps.settings;
    const leaseMs = heartbeatMs * LEASE_HEARTBEATS + disconnectGraceMs;
    await this.#tolerate(runId, () => this.deps.owners.hold(runId, connectionId, leaseMs));
  }

  /** The connection is over and the Run goes on, or has ended. Never rejects. */
  async release({ runId, connectionId }: Hold): Promise<void> {
    await this.#tolerate(runId, () => this.deps.owners.release(runId, connectionId));
  }

  /** The client closed early: the grace begins. */
  lost(hold: Hold): void {
    const { runId } = hold;
    const released = this.release(hold);
    if (this.#draining) return;
    let settle: () => void = () => undefined;
    const over = new Promise<void>((resolve) => (settle = resolve));
    const grace: Grace = {
      over,
      abandon: () => {
        clearTimeout(grace.timer);
        settle();
      },
      timer: setTimeout(() => {
        void released.then(() => this.#cancelUnlessHeld(runId)).finally(settle);
      }, this.deps.settings.disconnectGraceMs),
    };
    this.#graces.add(grace);
    void over.then(() => this.#graces.delete(grace));
  }

  /** At shutdown: lets the graces that run come to their end, within bounds; those that begin later are let go. */
  async drain(): Promise<void> {
    const deadline = setTimeout(() => {
      this.#draining = true;
      for (const grace of this.#graces) grace.abandon();
    }, MAX_DRAIN_MS);
    while (this.#graces.size > 0) await Promise.all([...this.#graces].map((grace) => grace.over));
    this.#draining = true;
    clearTimeout(deadline);
  }

  async #cancelUnlessHeld(runId: string): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const done = await this.#tolerate(runId, async () => {
        if (await this.deps.owners.isHeld(runId)) return;
        await cancelRun(this.deps, runId);
      });
      if (done || this.#draining) return;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
    this.deps.log.warn({ runId }, 'the Run of a lost connection could not be cancelled and goes on');
  }

  async #tolerate(runId: string, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      const level = error instanceof StoreUnavailable ? 'debug' : 'error';
      this.deps.log[level]({ runId, err: error }, 'the ownership of a Run could not be settled');
      return false;
    }
  }
}
