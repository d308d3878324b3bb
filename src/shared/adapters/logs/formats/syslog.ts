/** Syslog as it travels and as daemons write it to files: RFC 5424, RFC 3164, and the ISO form of newer rsyslog. */
import { findLevel, levelOfPriority } from '../level.js';
import { ISO, MONTH, monthNumber, type TimeReader } from '../log-time.js';
import { textField } from './text-fields.js';
import type { LineFormat, RecordBody, RecordHead } from './record.js';

const RFC_5424 = new RegExp(
  `^<(\\d{1,3})>[1-9]\\d? ${ISO} (\\S{1,255}) (\\S{1,48}) (\\S{1,128}) (\\S{1,32}) `,
);
const RFC_3164 = new RegExp(
  `^(?:<(\\d{1,3})>)?(${MONTH}) {1,2}(\\d{1,2}) (?:(\\d{4}) )?(\\d{2}):(\\d{2}):(\\d{2})(?:\\.(\\d{1,9}))?:? `,
);
const ISO_HEAD = new RegExp(`^(?:<(\\d{1,3})>)?${ISO} `);
const TAGGED = /^(\S{1,255}) ([^\s:[\]]{1,64})(?:\[([^\]\s]{0,32})\])?: ?/;
const UNTAGGED_HOST = /^([^\s:[\]]{1,64})(?:\[([^\]\s]{0,32})\])?: ?/;
/** Structured data of RFC 5424 §6.3: quoted values, in which `"`, `\` and `]` are escaped. */
const STRUCTURED = /^(?:-|(?:\[(?:[^\]"\\]|"(?:[^"\\]|\\.)*")*\])+)(?: |$)/;

function priorityLevel(priority: string | undefined) {
  return priority === undefined ? undefined : levelOfPriority(Number(priority));
}

/** `host tag[pid]: message`, or `tag[pid]: message` where a relay left the host out. */
function taggedBody(rest: string, priority: string | undefined): RecordBody {
  const hosted = TAGGED.exec(rest);
  const bare = hosted ? null : UNTAGGED_HOST.exec(rest);
  const message = rest.slice(hosted?.[0].length ?? bare?.[0].length ?? 0);
  const service = hosted?.[2] ?? bare?.[1];
  const known: Record<string, string | undefined> = {
    host: hosted?.[1],
    app: service,
    pid: hosted?.[3] ?? bare?.[2],
  };
  return {
    level: priorityLevel(priority) ?? findLevel(message)?.level,
    service,
    message,
    text: message,
    field: (name) => (Object.hasOwn(known, name) ? known[name] : undefined) ?? textField(message, name),
  };
}

function body5424(match: RegExpExecArray, line: string): RecordBody {
  const rest = line.slice(match[0].length);
  const data = STRUCTURED.exec(rest)?.[0] ?? '';
  const text = rest.slice(data.length).replace(/^\uFEFF/, '');
  const shownData = data.trim() === '-' ? '' : data;
  const app = match[11];
  const known: Record<string, string | undefined> = {
    host: match[10],
    app,
    pid: match[12],
    msgid: match[13],
  };
  return {
    level: priorityLevel(match[1]),
    service: app === '-' ? undefined : app,
    message: `${shownData}${text}`,
    text,
    field: (name) => (Object.hasOwn(known, name) ? known[name] : undefined) ?? textField(rest, name),
  };
}

function readRfc3164(line: string, time: TimeReader): RecordHead | undefined {
  const match = RFC_3164.exec(line);
  if (!match) return undefined;
  const parts = {
    month: monthNumber(match[2]),
    day: match[3],
    hour: match[5],
    minute: match[6],
    second: match[7],
    fraction: match[8],
  };
  const timeMs = match[4] === undefined ? time.yearless(parts) : time.civil({ ...parts, year: match[4] });
  if (timeMs === undefined) return undefined;
  return { timeMs, body: () => taggedBody(line.slice(match[0].length), match[1]) };
}

/** An ISO time alone is not syslog: it takes a PRI, or a tag with a process number (or the kernel's). */
function readIsoForm(line: string, time: TimeReader): RecordHead | undefined {
  const match = ISO_HEAD.exec(line);
  if (!match) return undefined;
  const rest = line.slice(match[0].length);
  const tagged = TAGGED.exec(rest);
  const sure = match[1] !== undefined || (tagged && (tagged[3] !== undefined || tagged[2] === 'kernel'));
  if (!sure || (tagged && findLevel(rest)?.consumed)) return undefined;
  const timeMs = time.iso(match, 2);
  return timeMs === undefined ? undefined : { timeMs, body: () => taggedBody(rest, match[1]) };
}

export const syslog5424: LineFormat = {
  name: 'syslog-5424',
  read(line: string, time: TimeReader): RecordHead | undefined {
    const match = line.startsWith('<') ? RFC_5424.exec(line) : null;
    const timeMs = match ? time.iso(match, 2) : undefined;
    return match === null || timeMs === undefined ? undefined : { timeMs, body: () => body5424(match, line) };
  },
};

export const syslog3164: LineFormat = {
  name: 'syslog-3164',
  read: (line, time) => readRfc3164(line, time) ?? readIsoForm(line, time),
};
