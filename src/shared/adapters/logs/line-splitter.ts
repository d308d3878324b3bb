/**
 * Bytes → lines of text, in bounded memory. Takes away CR before LF, a leading byte order mark, NUL bytes (a log that
 * was truncated in place begins with a run of them) and terminal colours; invalid UTF-8 becomes U+FFFD.
 */
import { stripTerminalSequences } from './text-safety.js';

export interface SplitLine {
  text: string;
  /** 1 for the first line of the file. */
  number: number;
  /** A further part of a line that was too long to be held at once. */
  continued: boolean;
}

const LF = 10;
const EMPTY = Buffer.alloc(0);

function withoutNul(chunk: Buffer): Buffer {
  if (!chunk.includes(0)) return chunk;
  return Buffer.from(chunk.filter((byte) => byte !== 0));
}

/** Whole characters at the end: the start of the last UTF-8 sequence if that is incomplete. */
function characterBoundary(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) break;
    if (byte >= 0xc0) {
      const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return needed > back ? bytes.length - back : bytes.length;
    }
  }
  return bytes.length;
}

export class LineSplitter {
  #carry: Buffer = EMPTY;
  #number = 0;
  /** The line in progress has already given a part. */
  #inLine = false;
  #atStart = true;
  sawNul = false;

  constructor(private readonly maxLineBytes: number) {}

  /** The chunk may be overwritten by the caller once the lines have been read. */
  *push(chunk: Buffer): Generator<SplitLine, void, undefined> {
    const clean = withoutNul(chunk);
    if (clean !== chunk) this.sawNul = true;
    const last = clean.lastIndexOf(LF);
    if (last >= 0) {
      const head =
        this.#carry.length === 0
          ? clean.subarray(0, last)
          : Buffer.concat([this.#carry, clean.subarray(0, last)]);
      this.#carry = EMPTY;
      yield* this.#lines(head);
    }
    const tail = last >= 0 ? clean.subarray(last + 1) : clean;
    this.#carry = Buffer.concat([this.#carry, tail]);
    if (this.#carry.length > this.maxLineBytes) yield* this.#part();
  }

  /** The last line, when no newline ends it. */
  *end(): Generator<SplitLine, void, undefined> {
    if (this.#carry.length === 0) return;
    const rest = this.#carry;
    this.#carry = EMPTY;
    yield* this.#lines(rest);
  }

  *#lines(bytes: Buffer): Generator<SplitLine, void, undefined> {
    const text = stripTerminalSequences(this.#decode(bytes));
    let from = 0;
    for (;;) {
      const to = text.indexOf('\n', from);
      let end = to < 0 ? text.length : to;
      while (end > from && text.charCodeAt(end - 1) === 13) end -= 1;
      const continued = this.#inLine;
      if (!continued) this.#number += 1;
      this.#inLine = false;
      yield { text: text.slice(from, end), number: this.#number, continued };
      if (to < 0) return;
      from = to + 1;
    }
  }

  *#part(): Generator<SplitLine, void, undefined> {
    const end = characterBoundary(this.#carry);
    const text = stripTerminalSequences(this.#decode(this.#carry.subarray(0, end)));
    this.#carry = Buffer.from(this.#carry.subarray(end));
    const continued = this.#inLine;
    if (!continued) this.#number += 1;
    this.#inLine = true;
    yield { text, number: this.#number, continued };
  }

  #decode(bytes: Buffer): string {
    const text = bytes.toString('utf8');
    const start = this.#atStart && text.charCodeAt(0) === 0xfeff ? 1 : 0;
    this.#atStart = false;
    return start === 0 ? text : text.slice(1);
  }
}
