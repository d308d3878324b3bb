/**
 * Times as log lines write them → milliseconds since the epoch. One reader per file, since a time without a year
 * depends on the file's modification time. Pure but for remembering which assumptions it had to make.
 */
import type { WallClock } from './time-zone.js';

export const MONTH = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';
const MONTHS: readonly string[] = MONTH.split('|');

/** Groups: year, month, day, hour, minute, second, fraction, zone. */
export const ISO =
  '(\\d{4})[-/](\\d{2})[-/](\\d{2})(?:T| {1,2})(\\d{2}):(\\d{2}):(\\d{2})(?:[.,](\\d{1,9}))?' +
  '((?: ?(?:Z|UTC|GMT)(?![A-Za-z]))|(?: ?[+-]\\d{2}:?\\d{2}(?!\\d))|[+-]\\d{2}(?![\\d:]))?';

const WHOLE_ISO = new RegExp(`^\\s*${ISO}\\s*$`);
const WHOLE_ACCESS = new RegExp(
  `^(\\d{2})/(${MONTH})/(\\d{4}):(\\d{2}):(\\d{2}):(\\d{2})(?: ([+-]\\d{4}))?$`,
);
const WHOLE_RFC_2822 = new RegExp(
  `^(?:[A-Z][a-z]{2}, )?(\\d{1,2}) (${MONTH}) (\\d{4}) (\\d{2}):(\\d{2}):(\\d{2})(?: (GMT|UTC|Z|[+-]\\d{4}))?$`,
);
const EPOCH = /^\d{9,19}(?:\.\d{1,9})?$/;

/** 1 … 12, or 0 for no month. */
export function monthNumber(name: string | undefined): number {
  return name === undefined ? 0 : MONTHS.indexOf(name) + 1;
}

function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** Minutes ahead of UTC; `null` when the text is no zone. */
function zoneMinutes(zone: string): number | null {
  if (zone === 'Z' || zone === 'UTC' || zone === 'GMT') return 0;
  const hours = Number(zone.slice(1, 3));
  const rest = zone.slice(3).replace(':', '');
  const minutes = rest === '' ? 0 : Number(rest);
  if (!(hours <= 14) || !(minutes <= 59)) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

/** `5` → 500 ms, `123456` → 123 ms. */
function fractionMs(fraction: string | undefined): number {
  return fraction === undefined ? 0 : Number(fraction.slice(0, 3).padEnd(3, '0'));
}

export interface Civil {
  year?: number | string | undefined;
  month: number | string | undefined;
  day: number | string | undefined;
  hour: number | string | undefined;
  minute: number | string | undefined;
  second: number | string | undefined;
  fraction?: string | undefined;
  zone?: string | undefined;
}

const DAY_MS = 86_400_000;
/** A day of a log has many lines: its start is worked out once. */
const MAX_DAYS = 4_096;

export class TimeReader {
  /** A time without a zone was read in the configured zone. */
  zoneAssumed = false;
  /** The years given to times that named none. */
  readonly yearsAssumed = new Set<number>();
  readonly #days = new Map<number, number>();
  /** Month and day → year, for days that are over by the modification time in any zone. */
  readonly #settledYears = new Map<number, number>();
  readonly #newestYear: number;

  constructor(
    private readonly clock: WallClock,
    private readonly mtimeMs: number,
  ) {
    this.#newestYear = new Date(mtimeMs).getUTCFullYear() + 1;
  }

  /** A date and time in parts; undefined when they are no real date. A leap second counts as the second after it. */
  civil(parts: Civil): number | undefined {
    return this.#at(Number(parts.year), parts);
  }

  /** Without a year: the newest one that does not put the time after the file's modification time. */
  yearless(parts: Civil): number | undefined {
    const date = Number(parts.month) * 32 + Number(parts.day);
    const settled = this.#settledYears.get(date);
    if (settled !== undefined) return this.#at(settled, parts);
    // Nine years back reach a 29 February across a century without one.
    for (let year = this.#newestYear; year >= this.#newestYear - 9; year -= 1) {
      const at = this.#at(year, parts);
      if (at !== undefined && at <= this.mtimeMs) {
        if (this.yearsAssumed.size < 16) this.yearsAssumed.add(year);
        if (at + 3 * DAY_MS < this.mtimeMs) this.#settledYears.set(date, year);
        return at;
      }
    }
    return undefined;
  }

  #at(year: number, parts: Civil): number | undefined {
    const hour = Number(parts.hour);
    const minute = Number(parts.minute);
    const second = Number(parts.second);
    const day = this.#dayStart(year, Number(parts.month), Number(parts.day));
    if (day === undefined || !(hour <= 23 && minute <= 59 && second <= 60)) return undefined;
    const local = day + hour * 3_600_000 + minute * 60_000 + second * 1_000 + fractionMs(parts.fraction);
    const zone = parts.zone?.trim();
    if (zone === undefined || zone === '') {
      this.zoneAssumed = true;
      return this.clock.toUtc(local);
    }
    const minutes = zoneMinutes(zone);
    return minutes === null ? undefined : local - minutes * 60_000;
  }

  #dayStart(year: number, month: number, day: number): number | undefined {
    const key = (year * 16 + month) * 64 + day;
    const known = this.#days.get(key);
    if (known !== undefined) return known;
    if (!(year >= 1970 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)))
      return undefined;
    const start = Date.UTC(year, month - 1, day);
    if (this.#days.size >= MAX_DAYS) this.#days.clear();
    this.#days.set(key, start);
    return start;
  }

  /** The groups of {@link ISO}, from `first` on. */
  iso(match: RegExpExecArray, first: number): number | undefined {
    return this.civil({
      year: match[first],
      month: match[first + 1],
      day: match[first + 2],
      hour: match[first + 3],
      minute: match[first + 4],
      second: match[first + 5],
      fraction: match[first + 6],
      zone: match[first + 7],
    });
  }

  /** Seconds, milliseconds, microseconds or nanoseconds since the epoch, told apart by size (1973 … 2286). */
  epoch(value: number): number | undefined {
    if (!(value >= 1e8)) return undefined;
    if (value < 1e10) return Math.floor(value * 1000);
    if (value < 1e11) return undefined;
    if (value < 1e13) return Math.floor(value);
    if (value < 1e16) return Math.floor(value / 1e3);
    return value < 1e19 ? Math.floor(value / 1e6) : undefined;
  }

  /** A field that holds a time and nothing else: ISO 8601, epoch, access-log or mail form. */
  field(value: unknown): number | undefined {
    if (typeof value === 'number') return this.epoch(value);
    if (typeof value !== 'string') return undefined;
    const iso = WHOLE_ISO.exec(value);
    if (iso) return this.iso(iso, 1);
    if (EPOCH.test(value)) return this.epoch(Number(value));
    const match = WHOLE_ACCESS.exec(value) ?? WHOLE_RFC_2822.exec(value);
    if (!match) return undefined;
    return this.civil({
      day: match[1],
      month: monthNumber(match[2]),
      year: match[3],
      hour: match[4],
      minute: match[5],
      second: match[6],
      zone: match[7],
    });
  }
}
