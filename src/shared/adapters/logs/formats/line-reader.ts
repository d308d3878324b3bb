/**
 * Tells the format of each line. The one that read the line before is tried first; the rest follow from the most
 * particular to the most general, so that a general form never takes a line from a particular one at a file's start.
 */
import type { TimeReader } from '../log-time.js';
import { jsonLines } from './json-lines.js';
import { logfmt } from './logfmt.js';
import type { LineFormat, RecordHead } from './record.js';
import { syslog3164, syslog5424 } from './syslog.js';
import { datedText, isoText, klog } from './timestamped-text.js';
import { accessLog, apacheError } from './web-server.js';

const FORMATS: readonly LineFormat[] = [
  jsonLines,
  syslog5424,
  syslog3164,
  apacheError,
  accessLog,
  logfmt,
  klog,
  isoText,
  datedText,
];

export class LineReader {
  #preferred: LineFormat = jsonLines;

  constructor(readonly time: TimeReader) {}

  /** The head of an entry, or undefined when the line carries no time of its own. */
  read(line: string): RecordHead | undefined {
    // Continuation lines begin with white space, most often: no format does.
    const code = line.charCodeAt(0);
    if (code === 32 || code === 9) return undefined;
    const preferred = this.#preferred;
    // A tagged line with an ISO time is syslog even after untagged ones.
    const head =
      (preferred === isoText ? this.#take(syslog3164, line) : undefined) ?? preferred.read(line, this.time);
    if (head !== undefined) return head;
    for (const format of FORMATS) {
      const found = format === preferred ? undefined : this.#take(format, line);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #take(format: LineFormat, line: string): RecordHead | undefined {
    const head = format.read(line, this.time);
    if (head !== undefined) this.#preferred = format;
    return head;
  }
}
