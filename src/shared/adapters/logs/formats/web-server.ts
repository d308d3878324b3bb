/** nginx and Apache: access lines (common, combined, with a virtual host before), and Apache's error log. */
import { isIP } from 'node:net';
import { findLevel, levelOfStatus, levelOfWord } from '../level.js';
import { MONTH, monthNumber, type TimeReader } from '../log-time.js';
import { textField } from './text-fields.js';
import type { LineFormat, RecordBody, RecordHead } from './record.js';

const ACCESS = new RegExp(
  `^([^[\\]"]{3,300}) \\[(\\d{2})/(${MONTH})/(\\d{4}):(\\d{2}):(\\d{2}):(\\d{2}) ([+-]\\d{4})\\] ` +
    '"((?:[^"\\\\]|\\\\.)*)" (\\d{3}) (\\d+|-)(?: "((?:[^"\\\\]|\\\\.)*)" "((?:[^"\\\\]|\\\\.)*)")?',
);
const ERROR_LINE = new RegExp(
  `^\\[(?:[A-Z][a-z]{2} )?(${MONTH}) {1,2}(\\d{1,2}) (\\d{2}):(\\d{2}):(\\d{2})(?:\\.(\\d{1,9}))? (\\d{4})\\] ?` +
    '(?:\\[(?:([\\w-]{0,40}):)?([A-Za-z]{3,8}\\d?)\\] ?)?',
);

function clientOf(prefix: string): string | undefined {
  const tokens = prefix.split(' ');
  const second = tokens[1];
  // A virtual host stands before the client's address.
  return second !== undefined && isIP(second) !== 0 && isIP(tokens[0] ?? '') === 0 ? second : tokens[0];
}

function accessBody(match: RegExpExecArray, line: string): RecordBody {
  const request = match[9] ?? '';
  const [method, target] = request.split(' ');
  const status = match[10] ?? '';
  const known: Record<string, string | undefined> = {
    remote_addr: clientOf(match[1] ?? ''),
    method,
    path: target?.split('?')[0],
    status,
    bytes: match[11],
    referer: match[12],
    user_agent: match[13],
  };
  return {
    level: levelOfStatus(Number(status)),
    service: undefined,
    message: line,
    text: request === '' ? line : request,
    field: (name) => (Object.hasOwn(known, name) ? known[name] : textField(line, name)),
  };
}

export const accessLog: LineFormat = {
  name: 'access',
  read(line: string, time: TimeReader): RecordHead | undefined {
    const match = ACCESS.exec(line);
    if (!match) return undefined;
    const timeMs = time.civil({
      day: match[2],
      month: monthNumber(match[3]),
      year: match[4],
      hour: match[5],
      minute: match[6],
      second: match[7],
      zone: match[8],
    });
    return timeMs === undefined ? undefined : { timeMs, body: () => accessBody(match, line) };
  },
};

function errorBody(match: RegExpExecArray, line: string): RecordBody {
  const message = line.slice(match[0].length);
  const word = match[9];
  return {
    level: (word === undefined ? undefined : levelOfWord(word)) ?? findLevel(message)?.level,
    service: undefined,
    message,
    text: message,
    field: (name) => (name === 'module' ? match[8] : textField(message, name)),
  };
}

export const apacheError: LineFormat = {
  name: 'apache-error',
  read(line: string, time: TimeReader): RecordHead | undefined {
    const match = line.startsWith('[') ? ERROR_LINE.exec(line) : null;
    if (!match) return undefined;
    const timeMs = time.civil({
      month: monthNumber(match[1]),
      day: match[2],
      hour: match[3],
      minute: match[4],
      second: match[5],
      fraction: match[6],
      year: match[7],
    });
    return timeMs === undefined ? undefined : { timeMs, body: () => errorBody(match, line) };
  },
};
