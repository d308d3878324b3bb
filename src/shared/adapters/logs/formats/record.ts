/** What a line format gives for the first line of a log entry. */
import type { LogLevel } from '../../../domain/contracts/tools/log-search.js';
import type { TimeReader } from '../log-time.js';

export interface RecordBody {
  /** Undefined when the line names none. */
  level: LogLevel | undefined;
  /** The record's own service; undefined: the file's name stands for it. */
  service: string | undefined;
  /** What is shown: the line without its time, level and service, or the whole line where those are its substance. */
  readonly message: string;
  /** The part of the message that a template is made of: without structured fields. */
  readonly text: string;
  /** A named field as text; dotted names reach into nested objects. */
  field?: (name: string) => string | undefined;
}

export interface RecordHead {
  timeMs: number;
  /** Work that only an entry in the window needs. */
  body(): RecordBody;
}

export interface LineFormat {
  readonly name: string;
  /** Undefined when the line does not begin an entry in this format. */
  read(line: string, time: TimeReader): RecordHead | undefined;
}
