/**
 * Lines → entries. A line without a time of its own belongs to the entry before it; those before the first time of a
 * file take that time. An entry beyond the bounds is handed on in parts, so that nothing of it goes unread.
 */
import type { LogSearchBounds } from './bounds.js';
import type { LineReader } from './formats/line-reader.js';
import type { RecordHead } from './formats/record.js';
import type { SplitLine } from './line-splitter.js';

export interface Entry {
  /** Undefined: no time could be given to it. */
  head: RecordHead | undefined;
  /** Lines as they stand in the file, joined by newlines. */
  raw: string;
  /** The lines after the head; the whole of `raw` where the head is another part's, or comes later. */
  continuation: string;
  line: number;
  /** The same for all parts of one entry. */
  ordinal: number;
  /** More parts of the entry go before or after this one. */
  partial: boolean;
  /** The entry was cut inside a line. */
  cutInLine: boolean;
  /** The time is that of the first dated line after it. */
  borrowed: boolean;
}

export class EntryAssembler {
  #open: Entry | undefined;
  #lines = 0;
  #chars = 0;
  #more: string[] = [];
  #leading: SplitLine[] | undefined = [];
  #leadingChars = 0;
  #ordinal = 0;
  /** A time was found in the file. */
  dated = false;

  constructor(
    private readonly reader: LineReader,
    private readonly bounds: LogSearchBounds,
    private readonly emit: (entry: Entry) => void,
  ) {}

  push(line: SplitLine): void {
    const head = line.continued ? undefined : this.reader.read(line.text);
    if (head !== undefined) this.#begin(head, line);
    else if (line.text !== '') this.#continue(line);
  }

  end(): void {
    this.#flush(false);
    this.#open = undefined;
    this.#spillLeading();
  }

  #begin(head: RecordHead, line: SplitLine): void {
    this.#flush(false);
    if (!this.dated) {
      this.dated = true;
      this.#lendTime(head);
    }
    this.#ordinal += 1;
    this.#openPart(head, line, line.text, false);
  }

  #openPart(head: RecordHead, line: SplitLine, raw: string, partial: boolean): void {
    this.#open = {
      head,
      raw,
      continuation: partial ? raw : '',
      line: line.number,
      ordinal: this.#ordinal,
      partial,
      cutInLine: line.continued,
      borrowed: false,
    };
    this.#lines = 1;
    this.#chars = raw.length;
  }

  #continue(line: SplitLine): void {
    const open = this.#open;
    if (open?.head === undefined) {
      this.#hold(line);
      return;
    }
    this.#lines += 1;
    this.#chars += line.text.length;
    if (
      line.continued ||
      this.#lines > this.bounds.maxEntryLines ||
      this.#chars > this.bounds.maxEntryChars
    ) {
      if (line.continued) open.cutInLine = true;
      this.#flush(true);
      this.#openPart(open.head, line, line.text, true);
    } else {
      this.#more.push(line.text);
    }
  }

  #flush(partial: boolean): void {
    const open = this.#open;
    if (open === undefined) return;
    if (this.#more.length > 0) {
      const more = this.#more.join('\n');
      open.raw = `${open.raw}\n${more}`;
      open.continuation = open.continuation === '' ? more : `${open.continuation}\n${more}`;
      this.#more = [];
    }
    if (partial) open.partial = true;
    this.emit(open);
  }

  #hold(line: SplitLine): void {
    if (this.#leading === undefined) {
      this.#emitUndated(line);
      return;
    }
    this.#leading.push(line);
    this.#leadingChars += line.text.length;
    const tooMany = this.#leading.length > this.bounds.maxLeadingLines;
    if (tooMany || this.#leadingChars > this.bounds.maxEntryChars) this.#spillLeading();
  }

  #spillLeading(): void {
    for (const line of this.#leading ?? []) this.#emitUndated(line);
    this.#leading = undefined;
  }

  #emitUndated(line: SplitLine): void {
    this.#ordinal += 1;
    this.emit({
      head: undefined,
      raw: line.text,
      continuation: line.text,
      line: line.number,
      ordinal: this.#ordinal,
      partial: line.continued,
      cutInLine: line.continued,
      borrowed: false,
    });
  }

  #lendTime(head: RecordHead): void {
    const [first, ...others] = this.#leading ?? [];
    this.#leading = undefined;
    if (first === undefined) return;
    this.#ordinal += 1;
    const raw = [first, ...others].map((line) => line.text).join('\n');
    const cutInLine = others.some((line) => line.continued);
    const base = { raw, continuation: raw, line: first.number, ordinal: this.#ordinal };
    this.emit({ head, ...base, partial: cutInLine, cutInLine, borrowed: true });
  }
}
