/**
 * Text that begins with a time, the forms in common use: ISO with or without a zone (log4j, Python, nginx errors, Go,
 * PostgreSQL, MySQL, container runtimes), a file's name or a level before it (OpenStack, Ruby), klog, Redis,
 * java.util.logging, ctime, and epoch seconds.
 */
import { findLevel, levelOfLetter, levelOfWord } from '../level.js';
import type { LogLevel } from '../../../domain/contracts/tools/log-search.js';
import { ISO, MONTH, monthNumber, type TimeReader } from '../log-time.js';
import { readJsonBody } from './json-lines.js';
import { textField } from './text-fields.js';
import type { LineFormat, RecordBody, RecordHead } from './record.js';

const ISO_TEXT = new RegExp(
  `^(?:([\\w@-]{1,100})\\.log[\\w.:-]{0,64} |\\[?\\s?([A-Za-z]{3,11})\\s?\\]?[ :|-]{1,3}|([DIWEFA]), )?[[(]?${ISO}[\\])]?`,
);
const KLOG = /^([IWEF])(\d{4})?(\d{2})(\d{2}) (\d{2}):(\d{2}):(\d{2})\.(\d{1,9}) +/;
const REDIS = new RegExp(
  `^(?:\\d{1,10}:[MSCX] )?(\\d{1,2})[ -](${MONTH})[ -](\\d{4}) (\\d{2}):(\\d{2}):(\\d{2})(?:[.,](\\d{1,9}))? ?`,
);
const CTIME = new RegExp(
  `^(?:[A-Z][a-z]{2} )?(${MONTH}) {1,2}(\\d{1,2}),? (?:(\\d{4}) )?(\\d{1,2}):(\\d{2}):(\\d{2})(?:\\.(\\d{1,9}))?(?: ([AP]M))?(?: (\\d{4}))?(?= |$)`,
);
const EPOCH = /^\[?(\d{10}\.\d{1,9}|\d{13})\]? /;
const CONTAINER = /^ ?(?:stdout|stderr) [FP] /;
const REDIS_SIGNS: ReadonlyMap<string, LogLevel> = new Map([
  ['.', 'DEBUG'],
  ['-', 'DEBUG'],
  ['*', 'INFO'],
  ['#', 'WARN'],
]);

function trimLead(text: string): string {
  return text.replace(/^[\s|,:]+(?=\S)|^ - (?=\S)/, '');
}

/** The text behind the time: its level where one stands, and the message without a level that led it. */
function textBody(rest: string, before?: LogLevel, service?: string): RecordBody {
  const found = before === undefined ? findLevel(rest) : undefined;
  const message = trimLead(found === undefined ? rest : rest.slice(found.consumed));
  return {
    level: before ?? found?.level,
    service,
    message,
    text: message,
    field: (name) => textField(message, name),
  };
}

function isoBody(match: RegExpExecArray, line: string): RecordBody {
  const rest = line.slice(match[0].length);
  const container = CONTAINER.exec(rest);
  if (container) {
    const inner = rest.slice(container[0].length);
    return readJsonBody(inner) ?? textBody(inner);
  }
  const word = match[2] ?? '';
  const before = levelOfWord(word) ?? levelOfLetter(match[3] ?? '');
  return textBody(rest, before, match[1]);
}

function readIso(line: string, time: TimeReader): RecordHead | undefined {
  const match = ISO_TEXT.exec(line);
  if (!match) return undefined;
  // A word before the time is a level or the line is prose.
  if (match[2] !== undefined && levelOfWord(match[2]) === undefined) return undefined;
  const timeMs = time.iso(match, 4);
  return timeMs === undefined ? undefined : { timeMs, body: () => isoBody(match, line) };
}

function readKlog(line: string, time: TimeReader): RecordHead | undefined {
  const match = KLOG.exec(line);
  if (!match) return undefined;
  const parts = {
    month: match[3],
    day: match[4],
    hour: match[5],
    minute: match[6],
    second: match[7],
    fraction: match[8],
  };
  const timeMs = match[2] === undefined ? time.yearless(parts) : time.civil({ ...parts, year: match[2] });
  const level = levelOfLetter(match[1] ?? '');
  return timeMs === undefined
    ? undefined
    : { timeMs, body: () => textBody(line.slice(match[0].length), level) };
}

function readDayFirst(line: string, time: TimeReader): RecordHead | undefined {
  const match = REDIS.exec(line);
  if (!match) return undefined;
  const timeMs = time.civil({
    day: match[1],
    month: monthNumber(match[2]),
    year: match[3],
    hour: match[4],
    minute: match[5],
    second: match[6],
    fraction: match[7],
  });
  if (timeMs === undefined) return undefined;
  return {
    timeMs,
    body: () => {
      const rest = line.slice(match[0].length);
      const sign = rest.charAt(1) === ' ' ? REDIS_SIGNS.get(rest.charAt(0)) : undefined;
      return sign === undefined ? textBody(rest) : textBody(rest.slice(2), sign);
    },
  };
}

function readCtime(line: string, time: TimeReader): RecordHead | undefined {
  const match = CTIME.exec(line);
  const year = match?.[3] ?? match?.[9];
  if (!match || year === undefined) return undefined;
  const half = match[8];
  const clock = Number(match[4]);
  const timeMs = time.civil({
    month: monthNumber(match[1]),
    day: match[2],
    year,
    hour: half === undefined ? clock : (clock % 12) + (half === 'PM' ? 12 : 0),
    minute: match[5],
    second: match[6],
    fraction: match[7],
  });
  return timeMs === undefined ? undefined : { timeMs, body: () => textBody(line.slice(match[0].length)) };
}

function readEpoch(line: string, time: TimeReader): RecordHead | undefined {
  const match = EPOCH.exec(line);
  const timeMs = match ? time.epoch(Number(match[1])) : undefined;
  return !match || timeMs === undefined
    ? undefined
    : { timeMs, body: () => textBody(line.slice(match[0].length)) };
}

export const isoText: LineFormat = { name: 'iso-text', read: readIso };
export const klog: LineFormat = { name: 'klog', read: readKlog };
export const datedText: LineFormat = {
  name: 'dated-text',
  read: (line, time) => readDayFirst(line, time) ?? readCtime(line, time) ?? readEpoch(line, time),
};
