/**
 * Local wall time to UTC in one IANA zone, by the zone data of the runtime. The process's own zone (`TZ`) plays no part.
 */
const SLOT_MS = 15 * 60 * 1000;
const MAX_SLOTS = 20_000;

export class WallClock {
  readonly #format: Intl.DateTimeFormat | undefined;
  readonly #offsets = new Map<number, number>();

  /** @throws RangeError when the zone is unknown. */
  constructor(readonly zone: string) {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      calendar: 'gregory',
      numberingSystem: 'latn',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    this.#format = format.resolvedOptions().timeZone === 'UTC' ? undefined : format;
  }

  /**
   * `localMs` is the wall time counted as if it were UTC. Of a time that occurs twice (clocks set back) the first is
   * taken; one that never occurs (clocks set forward) is read with the offset from before the change.
   */
  toUtc(localMs: number): number {
    if (this.#format === undefined) return localMs;
    const before = localMs - this.#offsetAt(localMs - 86_400_000);
    const after = localMs - this.#offsetAt(localMs + 86_400_000);
    if (before === after) return before;
    if (this.#offsetAt(before) === localMs - before) return before;
    return this.#offsetAt(after) === localMs - after ? after : before;
  }

  /** Milliseconds that wall time is ahead of UTC at an instant; zones change on quarters of an hour at the finest. */
  #offsetAt(utcMs: number): number {
    const slot = Math.floor(utcMs / SLOT_MS);
    const known = this.#offsets.get(slot);
    if (known !== undefined) return known;
    const at = slot * SLOT_MS;
    const part: Record<string, number> = {};
    for (const { type, value } of this.#format?.formatToParts(at) ?? []) part[type] = Number(value);
    const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
    const offset = Date.UTC(year, month - 1, day, hour, minute, second) - at;
    if (this.#offsets.size >= MAX_SLOTS) this.#offsets.clear();
    this.#offsets.set(slot, offset);
    return offset;
  }
}
