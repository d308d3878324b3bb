/**
 * A log file with an upper bound: when it is full it becomes `<name>.1` (replacing the one before) and a new one begins,
 * so that a process's output never takes more than twice the bound. Written synchronously: a crash loses nothing.
 */
import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

const MODE = 0o600;

export interface BoundedLog {
  write(chunk: Uint8Array | string): void;
  close(): void;
}

/** Opens `path` for appending; one that is over the bound already is set aside first. */
export function openBoundedLog(path: string, maxBytes: number): BoundedLog {
  let file: number | undefined = openSync(path, 'a', MODE);
  let size = fstatSync(file).size;
  const roll = (): number => {
    if (file !== undefined) closeSync(file);
    renameSync(path, `${path}.1`);
    size = 0;
    return openSync(path, 'a', MODE);
  };
  if (size >= maxBytes) file = roll();
  return {
    write: (chunk) => {
      if (file === undefined) return;
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      if (size > 0 && size + bytes.length > maxBytes) file = roll();
      size += writeSync(file, bytes.subarray(0, maxBytes));
    },
    close: () => {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

/** The last lines of a stream of chunks, of at most `maxLines` lines of `maxChars` characters. */
export class LineTail {
  private readonly lines: string[] = [];
  private rest = '';

  constructor(
    private readonly maxLines: number,
    private readonly maxChars = 400,
  ) {}

  push(chunk: Uint8Array | string): void {
    const pieces = (this.rest + chunk.toString()).split('\n');
    this.rest = (pieces.pop() ?? '').slice(-this.maxChars);
    for (const piece of pieces) this.lines.push(piece.slice(0, this.maxChars));
    this.lines.splice(0, Math.max(0, this.lines.length - this.maxLines));
  }

  toString(): string {
    return [...this.lines, this.rest].filter((line) => line.trim() !== '').join('\n');
  }
}
