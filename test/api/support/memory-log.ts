/** The event log and the cancel channel in memory, by the contract of their ports. */
import { EVENT_DATA, type Frame, type RunEvent } from '../../../src/shared/domain/contracts/events.js';
import { StoreUnavailable } from '../../../src/shared/ports/errors.js';
import type {
  CancelSignal,
  EventPublisher,
  EventReader,
  KeyedEvent,
} from '../../../src/shared/ports/event-log.js';

interface Listener {
  onFrame: (frame: Frame) => void;
  onReset: () => void;
}

export class MemoryLog implements EventPublisher, EventReader, Pick<CancelSignal, 'notify'> {
  /** Every operation rejects while true; live listeners hear nothing. */
  away = false;
  /** Frames are appended and not published, as when the channel loses them. */
  mute = false;
  readonly notified: string[] = [];
  /** Called inside `subscribe` before it is acknowledged: what happens in that moment. */
  onSubscribe: () => void = () => undefined;
  readonly #frames = new Map<string, Frame[]>();
  readonly #keys = new Map<string, Map<string, number>>();
  readonly #listeners = new Map<string, Set<Listener>>();

  publish(runId: string, events: readonly KeyedEvent[], floor: number, at: string): Promise<number[]> {
    return this.#reached(() =>
      events.map(({ key, event }) => {
        const keys = this.#keys.get(runId) ?? new Map<string, number>();
        this.#keys.set(runId, keys);
        const known = keys.get(key);
        if (known !== undefined) return known;
        const seq = Math.max(floor, ...keys.values()) + 1;
        keys.set(key, seq);
        this.#append(runId, seq, event, at);
        return seq;
      }),
    );
  }

  read(runId: string, after: number): Promise<Frame[]> {
    return this.#reached(() => (this.#frames.get(runId) ?? []).filter((frame) => frame.seq > after));
  }

  head(runId: string): Promise<number> {
    return this.#reached(() => this.#frames.get(runId)?.at(-1)?.seq ?? 0);
  }

  subscribe(
    runId: string,
    onFrame: (frame: Frame) => void,
    onReset: () => void,
  ): Promise<{ close: () => Promise<void> }> {
    return this.#reached(() => {
      const listeners = this.#listeners.get(runId) ?? new Set<Listener>();
      this.#listeners.set(runId, listeners);
      const listener = { onFrame, onReset };
      this.onSubscribe();
      listeners.add(listener);
      return {
        close: () => {
          listeners.delete(listener);
          return Promise.resolve();
        },
      };
    });
  }

  notify(runId: string): Promise<void> {
    return this.#reached(() => void this.notified.push(runId));
  }

  listeners(runId: string): number {
    return this.#listeners.get(runId)?.size ?? 0;
  }

  /** The connection was lost and is back. */
  reset(runId: string): void {
    for (const { onReset } of this.#listeners.get(runId) ?? []) onReset();
  }

  /** The log is gone, as after its time to live. */
  expire(runId: string): void {
    this.#frames.delete(runId);
    this.#keys.delete(runId);
  }

  #append(runId: string, seq: number, event: RunEvent, at: string): void {
    EVENT_DATA[event.event].parse(event.data);
    const frame = { seq, event: event.event, data: JSON.stringify({ runId, seq, at, ...event.data }) };
    this.#frames.set(runId, [...(this.#frames.get(runId) ?? []), frame]);
    if (this.mute) return;
    for (const { onFrame } of this.#listeners.get(runId) ?? []) onFrame(frame);
  }

  async #reached<T>(work: () => T): Promise<T> {
    await Promise.resolve();
    if (this.away) throw new StoreUnavailable('Redis');
    return work();
  }
}
