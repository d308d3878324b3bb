/** The value that an entry is counted under, by `group_by`. Pure. */
import { isIP } from 'node:net';
import type { LogLevel } from '../../domain/contracts/tools/log-search.js';
import { textField } from './formats/text-fields.js';
import { templateOf } from './template.js';

const MAX_KEY_CHARS = 512;
const ADDRESS =
  /(?<![\w.:])(?:(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)|(?=[0-9a-f:]*\d)[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?:(?:\d{1,3}\.){3}\d{1,3})?(?![\w:]|\.\d))/gi;
const REQUEST = /"(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|CONNECT|TRACE) (\S{1,2048})/;
const STATUS_NAMES = ['status', 'status_code', 'statusCode', 'http_status', 'code'];
const PATH_NAMES = ['path', 'url', 'uri', 'request_path', 'request_uri', 'route'];
const ADDRESS_NAMES = ['remote_addr', 'client_ip', 'remote_ip', 'ip'];

export interface GroupSubject {
  level: LogLevel;
  service: string;
  message: string;
  text: string;
  field: (name: string) => string | undefined;
}

/** The first IPv4 or IPv6 address in a text; an access line's own client comes first where the record names it. */
export function firstAddress(text: string): string | undefined {
  for (const match of text.matchAll(ADDRESS)) {
    if (isIP(match[0]) !== 0) return match[0];
  }
  return undefined;
}

function firstField(subject: GroupSubject, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = subject.field(name);
    if (value !== undefined && value !== '') return value;
  }
  return undefined;
}

function statusOf(subject: GroupSubject): string | undefined {
  const value = firstField(subject, STATUS_NAMES)?.trim();
  return value !== undefined && /^[1-5]\d\d$/.test(value) ? value : undefined;
}

function pathOf(subject: GroupSubject): string | undefined {
  const value = firstField(subject, PATH_NAMES) ?? REQUEST.exec(subject.message)?.[1];
  return value?.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').split(/[?#]/)[0];
}

function addressOf(subject: GroupSubject): string | undefined {
  const named = ADDRESS_NAMES.map((name) => subject.field(name)).find(
    (v) => v !== undefined && isIP(v) !== 0,
  );
  return named ?? firstAddress(subject.message);
}

/** Undefined when the entry has no such value; it is then in no group. */
export function groupKey(groupBy: string, subject: GroupSubject): string | undefined {
  const key = rawKey(groupBy, subject);
  return key === undefined || key === '' ? undefined : key.slice(0, MAX_KEY_CHARS);
}

function rawKey(groupBy: string, subject: GroupSubject): string | undefined {
  if (groupBy.startsWith('field:')) {
    const name = groupBy.slice('field:'.length);
    return subject.field(name) ?? textField(subject.message, name);
  }
  switch (groupBy) {
    case 'level':
      return subject.level;
    case 'service':
      return subject.service;
    case 'template':
      return templateOf(subject.text);
    case 'ip':
      return addressOf(subject);
    case 'status':
      return statusOf(subject);
    case 'path':
      return pathOf(subject);
    default:
      // The argument schema lets no other through.
      return undefined;
  }
}
