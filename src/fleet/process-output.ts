/** Where the output of supervised processes goes: to the terminal with a prefix each, to log files, or to a listener. */
import { join } from 'node:path';
import { openBoundedLog, type BoundedLog } from './bounded-log.js';

const LOG_BYTES = 8 * 1024 * 1024;
const MAX_LINE = 64 * 1024;

/** Gets each line without its end. */
export type LineListener = (process: string, line: string) => void;

export type OutputChoice =
  { kind: 'terminal' } | { kind: 'files'; dir: string } | { kind: 'listener'; listener: LineListener };

export interface OutputSink {
  write(process: string, chunk: Buffer): void;
  close(): void;
}

/** One bounded file per process, `<dir>/<name>.log`. */
export function fileSink(dir: string): OutputSink {
  const logs = new Map<string, BoundedLog>();
  return {
    write: (process, chunk) => {
      let log = logs.get(process);
      if (log === undefined) {
        log = openBoundedLog(join(dir, `${process}.log`), LOG_BYTES);
        logs.set(process, log);
      }
      log.write(chunk);
    },
    close: () => {
      for (const log of logs.values()) log.close();
      logs.clear();
    },
  };
}

/** Cuts chunks into lines; one longer than 64 KiB is handed on in pieces. */
export function lineSink(listener: LineListener): OutputSink {
  const rests = new Map<string, string>();
  return {
    write: (process, chunk) => {
      const lines = ((rests.get(process) ?? '') + chunk.toString('utf8')).split('\n');
      let rest = lines.pop() ?? '';
      for (const line of lines) listener(process, line);
      if (rest.length > MAX_LINE) {
        listener(process, rest);
        rest = '';
      }
      rests.set(process, rest);
    },
    close: () => {
      for (const [process, rest] of rests) if (rest !== '') listener(process, rest);
      rests.clear();
    },
  };
}
