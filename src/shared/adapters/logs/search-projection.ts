/** The result of a search as it leaves: redacted, readable, and within the bytes that it may take (IV-3, SE-2). */
import type { LogEntry, LogGroup, LogSearchProjection } from '../../domain/contracts/tools/log-search.js';
import type { Redact } from '../../ports/redactor.js';
import { inTimeOrder, type Match } from './entry-selection.js';
import { clip, showUnseen } from './text-safety.js';

const MAX_SERVICE_CHARS = 200;
/** Kept free for the sentence that says how many entries are shown. */
const SENTENCE_BYTES = 320;

/** Bytes of a value as UTF-8 JSON. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value), 'utf8');
}

/** What every entry goes through. Secrets are replaced before anything is cut, so that no half of one stays. */
export class EntryView {
  constructor(
    private readonly redact: Redact,
    readonly maxMessageChars: number,
  ) {}

  entry(match: Match, maxChars = this.maxMessageChars): LogEntry {
    return {
      timestamp: new Date(match.timeMs).toISOString(),
      service: clip(showUnseen(this.redact(match.service)), MAX_SERVICE_CHARS),
      level: match.level,
      message: clip(showUnseen(this.redact(match.message)), maxChars, match.missing),
      source: `${showUnseen(match.file)}:${String(match.line)}`,
    };
  }
}

/** As many groups, from the largest on, as fit into a third of the bytes. */
export function fitGroups(groups: readonly LogGroup[], maxBytes: number): LogGroup[] {
  let left = Math.floor(maxBytes / 3);
  const fitting: LogGroup[] = [];
  for (const group of groups) {
    left -= jsonBytes(group) + 1;
    if (left < 0) break;
    fitting.push(group);
  }
  return fitting;
}

/** Matches in the order of their worth; one that does not fit makes room for shorter ones after it. */
function fitEntries(chosen: readonly Match[], view: EntryView, maxBytes: number): LogEntry[] {
  let left = maxBytes;
  const kept: { match: Match; entry: LogEntry }[] = [];
  const take = (match: Match, entry: LogEntry): boolean => {
    const bytes = jsonBytes(entry) + 1;
    if (bytes > left) return false;
    left -= bytes;
    kept.push({ match, entry });
    return true;
  };
  const [first, ...others] = chosen;
  // The most severe is not hidden for being long: less of its message is shown.
  for (
    let chars = view.maxMessageChars;
    kept.length === 0 && first !== undefined && chars >= 16;
    chars /= 2
  ) {
    take(first, view.entry(first, Math.floor(chars)));
  }
  if (kept.length > 0) for (const match of others) take(match, view.entry(match));
  return kept.sort((a, b) => inTimeOrder(a.match, b.match)).map(({ entry }) => entry);
}

function entriesSentence(shown: number, matched: number, limit: number): string {
  const why = shown < Math.min(matched, limit) ? '; more do not fit into the result' : '';
  return (
    `entries shows ${String(shown)} of ${String(matched)} matches: half for the most severe, spread over the window, ` +
    `the rest for the earliest and the latest${why}`
  );
}

/** Undefined when not even one entry fits. `head` holds everything but the entries. */
export function fitProjection(
  head: LogSearchProjection,
  chosen: readonly Match[],
  view: EntryView,
  maxBytes: number,
): LogSearchProjection | undefined {
  const free = maxBytes - jsonBytes(head);
  if (free < 0) return undefined;
  if (head.matched === 0) return head;
  const all = head.matched <= chosen.length ? fitEntries(chosen, view, free) : [];
  if (all.length === head.matched) return { ...head, entries: all };
  const entries = fitEntries(chosen, view, free - SENTENCE_BYTES);
  if (entries.length === 0) return undefined;
  const sentence = entriesSentence(entries.length, head.matched, head.scope.limit);
  const scope = { ...head.scope, assumptions: [...head.scope.assumptions, sentence] };
  return { ...head, scope, truncated: true, entries };
}
