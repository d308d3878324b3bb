/**
 * Which of the matches are shown when they are more than `limit`: half of the places go to the most severe, spread over
 * the time by a fixed hash of their source; a quarter to the earliest, the rest to the latest. Deterministic, in memory
 * proportional to `limit`. Pure.
 */
import type { LogLevel } from '../../domain/contracts/tools/log-search.js';
import { levelRank } from './level.js';

export interface Match {
  timeMs: number;
  level: LogLevel;
  service: string;
  message: string;
  /** Characters of the message that were not kept. */
  missing: number;
  file: string;
  line: number;
}

/** What orders a match; the match itself is only made when it is kept. */
export interface MatchKey {
  timeMs: number;
  level: LogLevel;
  file: string;
  line: number;
}

type Order<T> = (a: T, b: T) => number;
interface Ranked extends MatchKey {
  hash: number;
}
interface Kept extends Ranked {
  match: Match;
}

/** FNV-1a, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}

export function inTimeOrder(a: MatchKey, b: MatchKey): number {
  return a.timeMs - b.timeMs || (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line;
}

/** The first `size` matches by an order, kept sorted. */
class Best {
  readonly items: Kept[] = [];

  constructor(
    private readonly size: number,
    private readonly order: Order<Ranked>,
  ) {}

  wants(item: Ranked): boolean {
    const last = this.items.at(-1);
    if (this.items.length < this.size || last === undefined) return this.size > 0;
    return this.order(item, last) < 0;
  }

  add(item: Kept): void {
    let low = 0;
    let high = this.items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const at = this.items[middle];
      if (at !== undefined && this.order(at, item) <= 0) low = middle + 1;
      else high = middle;
    }
    this.items.splice(low, 0, item);
    if (this.items.length > this.size) this.items.pop();
  }
}

export class EntrySelection {
  readonly #severe: Best;
  readonly #earliest: Best;
  readonly #latest: Best;

  constructor(private readonly limit: number) {
    const quarter = Math.ceil(Math.floor(limit / 2) / 2);
    this.#severe = new Best(
      limit,
      (a, b) => levelRank(b.level) - levelRank(a.level) || a.hash - b.hash || inTimeOrder(a, b),
    );
    this.#earliest = new Best(quarter, inTimeOrder);
    this.#latest = new Best(quarter, (a, b) => inTimeOrder(b, a));
  }

  /** `make` is called at most once, and only when the match may be shown. */
  offer(key: MatchKey, make: () => Match): void {
    const ranked: Ranked = { ...key, hash: hashOf(`${key.file}:${String(key.line)}`) };
    const takers = [this.#severe, this.#earliest, this.#latest].filter((best) => best.wants(ranked));
    if (takers.length === 0) return;
    const kept: Kept = { ...ranked, match: make() };
    for (const best of takers) best.add(kept);
  }

  /**
   * Those to be shown, the most telling first: when they do not all fit, the last go first. What is both severe and
   * early or late leaves its place to the next severe one.
   */
  chosen(): Match[] {
    const half = Math.ceil(this.limit / 2);
    const severe = this.#severe.items.slice(0, half);
    const order = [
      ...interleave(severe, this.#earliest.items, this.#latest.items),
      ...this.#severe.items.slice(half),
    ];
    return [...new Set(order.map((kept) => kept.match))].slice(0, this.limit);
  }
}

function interleave<T>(...lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(...lists.map((list) => list.length));
  return Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list.slice(at, at + 1))).flat();
}
