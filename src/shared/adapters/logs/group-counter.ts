/** Counts of group keys in bounded memory: keys beyond the bound are not begun, and that is known. */
import type { LogGroup } from '../../domain/contracts/tools/log-search.js';
import type { Redact } from '../../ports/redactor.js';
import { clip, detach, showUnseen } from './text-safety.js';

const MAX_GROUPS = 20;
const MAX_SHOWN_CHARS = 200;

export class GroupCounter {
  readonly #counts = new Map<string, number>();
  /** Matches that have no value to be counted under. */
  without = 0;
  /** Matches whose key came after the bound on keys. */
  uncounted = 0;

  constructor(private readonly maxKeys: number) {}

  add(key: string | undefined): void {
    if (key === undefined) {
      this.without += 1;
      return;
    }
    const count = this.#counts.get(key);
    if (count !== undefined) this.#counts.set(key, count + 1);
    else if (this.#counts.size < this.maxKeys) this.#counts.set(detach(key), 1);
    else this.uncounted += 1;
  }

  /** The 20 largest, by count, then by key; keys that are equal once redacted are one group. */
  top(redact: Redact): { groups: LogGroup[]; distinct: number } {
    const shown = new Map<string, number>();
    for (const [key, count] of this.#counts) {
      const safe = clip(showUnseen(redact(key)), MAX_SHOWN_CHARS);
      shown.set(safe, (shown.get(safe) ?? 0) + count);
    }
    const sorted = [...shown].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
    return {
      groups: sorted.slice(0, MAX_GROUPS).map(([key, count]) => ({ key, count })),
      distinct: sorted.length,
    };
  }
}
