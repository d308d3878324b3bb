/** One search: what has been counted and kept, and why it may not be the whole. Judges entries; does no I/O. */
import type { LogLevel } from '../../domain/contracts/tools/log-search.js';
import type { LogSearchBounds } from './bounds.js';
import type { Entry } from './entry-assembler.js';
import { EntrySelection, type Match } from './entry-selection.js';
import type { LogFile } from './file-list.js';
import type { RecordBody } from './formats/record.js';
import { textField } from './formats/text-fields.js';
import { GroupCounter } from './group-counter.js';
import { groupKey } from './group-key.js';
import { findLevel, levelOfWord, levelRank } from './level.js';
import { matchesQuery, occurs, type QuerySubject } from './query.js';
import type { SearchRequest } from './search-request.js';
import { detach } from './text-safety.js';

/** Characters of a message that are kept for redaction, many times what is shown. */
const KEPT_CHARS = 16_384;
const MAX_NAMES = 40;
/** java.util.logging puts the level at the head of the second line. */
const SECOND_LINE_LEVEL = /^([A-Z]{4,7}): /;

/** The body of an entry with its continuation lines. */
function bodyOf(entry: Entry): RecordBody {
  const { head } = entry;
  if (head === undefined || entry.borrowed) {
    const found = findLevel(entry.raw);
    const base = { service: undefined, message: entry.raw, text: entry.raw };
    return { ...base, level: found?.level, field: (name) => textField(entry.raw, name) };
  }
  const body = head.body();
  if (entry.continuation === '') return body;
  const second = SECOND_LINE_LEVEL.exec(entry.continuation)?.[1];
  const level = body.level ?? (second === undefined ? undefined : levelOfWord(second));
  // A part that begins after the head is shown by its own lines.
  const own = entry.raw === entry.continuation;
  const message = own ? entry.raw : `${body.message}\n${entry.continuation}`;
  return { ...body, level, message };
}

/** What the parts of one entry have shown together. */
interface PartsSeen {
  ordinal: number;
  matched: boolean;
  /** Positions of the query's terms that some part holds. */
  terms: Set<number>;
}

interface Judged {
  body: RecordBody;
  level: LogLevel;
  service: string;
}

export class ScanState {
  matched = 0;
  readonly selection: EntrySelection;
  readonly groups: GroupCounter | undefined;
  /** Entries that match and carry no time, by file and line; in a file of binary data they count for nothing. */
  readonly undated: string[] = [];
  /** Files of which an entry was judged in parts that may have hidden a match. */
  readonly partly = new Set<string>();
  readonly services = new Set<string>();
  borrowedTimes = 0;
  serviceSeen = false;
  #parts: PartsSeen = { ordinal: -1, matched: false, terms: new Set() };

  constructor(
    private readonly request: SearchRequest,
    bounds: LogSearchBounds,
  ) {
    this.selection = new EntrySelection(request.limit);
    this.groups = request.groupBy === null ? undefined : new GroupCounter(bounds.maxGroupKeys);
  }

  beginFile(file: LogFile): void {
    this.#parts = { ordinal: -1, matched: false, terms: new Set() };
    if (this.#names(file)) this.serviceSeen = true;
  }

  judge(entry: Entry, file: LogFile): void {
    const { head } = entry;
    if (head !== undefined && (head.timeMs < this.request.fromMs || head.timeMs >= this.request.toMs)) return;
    const judged = this.#fits(entry, file);
    if (typeof judged === 'string') return;
    if (head === undefined) {
      if (this.undated.length < MAX_NAMES) this.undated.push(`${file.name}:${String(entry.line)}`);
      return;
    }
    // Parts of one entry count once.
    if (entry.partial && this.#parts.matched) return;
    if (entry.partial) this.#parts.matched = true;
    this.#count(entry, head.timeMs, judged, file);
  }

  /** The entry if it matches; `other` when its service or level is not asked for, `no-match` when the query says no. */
  #fits(entry: Entry, file: LogFile): Judged | 'other' | 'no-match' {
    const { query } = this.request;
    let body: RecordBody | undefined;
    const read = (): RecordBody => (body ??= bodyOf(entry));
    const subject: QuerySubject = {
      raw: entry.raw,
      name: file.base,
      nameIsService: () => read().service === undefined,
      message: () => read().message,
    };
    const byQuery = matchesQuery(query, subject);
    // Parts are looked at further even when the query says no: only then is it known whether they matter.
    if (!byQuery && !entry.partial && this.request.service === null) return 'no-match';
    const level = read().level ?? 'INFO';
    const service = read().service ?? file.base;
    if (!this.#wantsService(service, file)) return 'other';
    if (this.request.level !== null && levelRank(level) < levelRank(this.request.level)) return 'other';
    if (entry.partial) this.#watchParts(entry, subject, byQuery, file);
    return byQuery ? { body: read(), level, service } : 'no-match';
  }

  #wantsService(service: string, file: LogFile): boolean {
    const wanted = this.request.service;
    if (wanted === null) return true;
    if (this.services.size < MAX_NAMES && !this.services.has(service)) this.services.add(detach(service));
    if (service.toLowerCase() !== wanted && !this.#names(file)) return false;
    this.serviceSeen = true;
    return true;
  }

  #names(file: LogFile): boolean {
    const wanted = this.request.service;
    const last = file.name.slice(file.name.lastIndexOf('/') + 1);
    return [file.base, last, file.name].some((name) => name.toLowerCase() === wanted);
  }

  /**
   * The terms that must all occur can stand in different parts of one entry, an excluded one in another part than the
   * match, and any of them on the cut of a line: then the parts do not tell what the whole would have.
   */
  #watchParts(entry: Entry, subject: QuerySubject, matches: boolean, file: LogFile): void {
    const { terms } = this.request.query;
    if (this.#parts.ordinal !== entry.ordinal) {
      this.#parts = { ordinal: entry.ordinal, matched: false, terms: new Set() };
    }
    const { terms: seen, matched } = this.#parts;
    for (const [at, term] of terms.entries()) if (occurs(term, subject)) seen.add(at);
    const whole = terms.every((term, at) => seen.has(at) !== term.excluded);
    if (whole !== (matches || matched) || (entry.cutInLine && !matches && terms.length > 0))
      this.partly.add(file.name);
  }

  #count(entry: Entry, timeMs: number, judged: Judged, file: LogFile): void {
    this.matched += 1;
    if (entry.borrowed) this.borrowedTimes += 1;
    const { body, level, service } = judged;
    if (this.groups && this.request.groupBy !== null) {
      const field = body.field ?? (() => undefined);
      this.groups.add(
        groupKey(this.request.groupBy, { level, service, message: body.message, text: body.text, field }),
      );
    }
    this.selection.offer({ timeMs, level, file: file.name, line: entry.line }, (): Match => {
      const message = body.message.slice(0, KEPT_CHARS);
      return {
        timeMs,
        level,
        service: detach(service),
        message: detach(message),
        missing: body.message.length - message.length,
        file: file.name,
        line: entry.line,
      };
    });
  }
}
