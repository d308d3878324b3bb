/**
 * JSON lines: pino, bunyan, zap, logback, ECS, OpenTelemetry, MongoDB, journald and Docker's json-file, by the names
 * they give to time, level, message and service.
 */
import { levelOfField, levelOfStatus } from '../level.js';
import type { LogLevel } from '../../../domain/contracts/tools/log-search.js';
import type { TimeReader } from '../log-time.js';
import { renderPairs, scalarText } from './pairs.js';
import type { LineFormat, RecordBody, RecordHead } from './record.js';

type Fields = Readonly<Record<string, unknown>>;

const TIME = [
  '@timestamp',
  'timestamp',
  'time',
  'ts',
  't',
  'datetime',
  'eventTime',
  'asctime',
  'date',
  'Timestamp',
];
const JOURNAL_TIME = '__REALTIME_TIMESTAMP';
const LEVEL = [
  'level_name',
  'levelname',
  'level',
  'severity',
  'severity_text',
  'severityText',
  'log.level',
  'lvl',
  'loglevel',
  'log_level',
  'Level',
  'PRIORITY',
  's',
];
const MESSAGE = ['message', 'msg', 'log', 'MESSAGE', 'short_message', 'text', 'body', 'event', 'Message'];
const SERVICE = [
  'service.name',
  'service',
  'service_name',
  'serviceName',
  'app',
  'application',
  'app_name',
  'component',
  'name',
  'container_name',
  'SYSLOG_IDENTIFIER',
  'resource.service.name',
];

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own field, literally named so, or reached through nested objects by a dotted name. */
function lookup(fields: Fields, name: string): unknown {
  if (Object.hasOwn(fields, name)) return fields[name];
  if (!name.includes('.')) return undefined;
  let at: unknown = fields;
  for (const part of name.split('.')) {
    if (!isFields(at) || !Object.hasOwn(at, part)) return undefined;
    at = at[part];
  }
  return at;
}

function parseObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const INEXACT = /\d{16}|\d\.\d*0\b|\d[eE]/;

/** Numbers that a double would change are kept as the text they were written in. */
function parseExact(line: string, known?: Fields): Fields | undefined {
  if (!INEXACT.test(line)) return known ?? parseObject(line);
  const kept = line.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) =>
    token.startsWith('"') || String(Number(token)) === token ? token : `"${token}"`,
  );
  return parseObject(kept) ?? known ?? parseObject(line);
}

function readTime(fields: Fields, time: TimeReader): number | undefined {
  for (const name of TIME) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (value === undefined) continue;
    const at = time.field(isFields(value) && Object.hasOwn(value, '$date') ? value['$date'] : value);
    if (at !== undefined) return at;
  }
  return Object.hasOwn(fields, JOURNAL_TIME) ? time.field(fields[JOURNAL_TIME]) : undefined;
}

function first<T>(
  fields: Fields,
  names: readonly string[],
  read: (value: unknown) => T | undefined,
): { name: string; value: T } | undefined {
  for (const name of names) {
    const value = read(lookup(fields, name));
    if (value !== undefined) return { name, value };
  }
  return undefined;
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
const status = (value: unknown): number | undefined => {
  const number = Number(value);
  return Number.isInteger(number) && number >= 100 && number <= 599 ? number : undefined;
};

function levelWithout(fields: Fields): LogLevel | undefined {
  const code = first(fields, ['status', 'status_code', 'statusCode'], status);
  const isAccess = first(fields, ['method', 'request_method', 'request'], text) !== undefined;
  return code !== undefined && isAccess ? levelOfStatus(code.value) : undefined;
}

/** Fields beside time, level, service and message, as `key=value`. */
function rest(fields: Fields, used: ReadonlySet<string>): [string, unknown][] {
  return Object.entries(fields).filter(
    ([name, value]) => !used.has(name) && !TIME.includes(name) && value !== null && value !== '',
  );
}

/** The body of an object; `whole` is shown where no message can be made of it. */
export function bodyOfFields(fields: Fields, whole: string): RecordBody {
  const message = first(fields, MESSAGE, text);
  if (message?.name === 'log' && message.value.startsWith('{')) {
    const inner = parseExact(message.value.trim());
    if (inner !== undefined) return bodyOfFields(inner, message.value);
  }
  const level = first(fields, LEVEL, levelOfField);
  const service = first(fields, SERVICE, text);
  const proper = message?.value.trimEnd() ?? '';
  let shown: string | undefined;
  // Written out only for entries that are shown or grouped.
  const show = (): string => {
    const used = new Set([message?.name, level?.name, service?.name].flatMap((name) => name ?? []));
    return [proper, renderPairs(rest(fields, used))].filter((part) => part !== '').join(' ') || whole;
  };
  return {
    level: level?.value ?? levelWithout(fields),
    service: service?.value,
    get message() {
      return (shown ??= show());
    },
    get text() {
      return proper === '' ? (shown ??= show()) : proper;
    },
    field: (name) => scalarText(lookup(fields, name)),
  };
}

/** The body of a JSON text without a time of its own (container runtimes put one before it). */
export function readJsonBody(line: string): RecordBody | undefined {
  const fields = line.startsWith('{') ? parseExact(line) : undefined;
  return fields === undefined ? undefined : bodyOfFields(fields, line);
}

export const jsonLines: LineFormat = {
  name: 'json',
  read(line: string, time: TimeReader): RecordHead | undefined {
    if (!line.startsWith('{')) return undefined;
    const fields = parseObject(line);
    const timeMs = fields === undefined ? undefined : readTime(fields, time);
    if (fields === undefined || timeMs === undefined) return undefined;
    return { timeMs, body: () => bodyOfFields(parseExact(line, fields) ?? fields, line) };
  },
};
