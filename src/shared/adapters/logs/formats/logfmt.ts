/** logfmt: a line of `key=value` pairs, one of which is the time. */
import { levelOfField } from '../level.js';
import type { TimeReader } from '../log-time.js';
import { readPairs, renderPairs } from './pairs.js';
import type { LineFormat, RecordBody, RecordHead } from './record.js';

const STARTS = /^[A-Za-z_@][\w.@-]{0,63}=/;
const TIME = /(?:^|\s)(?:time|ts|timestamp|t|@timestamp|datetime)=(?:"([^"]{1,64})"|(\S{1,64}))/;
const TIME_NAMES = ['time', 'ts', 'timestamp', 't', '@timestamp', 'datetime'];
const LEVEL = ['level', 'lvl', 'severity', 'loglevel'];
const MESSAGE = ['msg', 'message', 'event'];
const SERVICE = ['service', 'service_name', 'app', 'component'];

function pick(pairs: ReadonlyMap<string, string>, names: readonly string[]): string | undefined {
  return names.find((name) => (pairs.get(name) ?? '') !== '');
}

function readBody(line: string): RecordBody {
  const pairs = readPairs(line);
  const level = pick(pairs, LEVEL);
  const message = pick(pairs, MESSAGE);
  const service = pick(pairs, SERVICE);
  const used = new Set([level, message, service, ...TIME_NAMES]);
  const proper = message === undefined ? '' : (pairs.get(message) ?? '');
  const others = renderPairs([...pairs].filter(([name]) => !used.has(name)));
  const shown = [proper, others].filter((part) => part !== '').join(' ');
  return {
    level: level === undefined ? undefined : levelOfField(pairs.get(level)),
    service: service === undefined ? undefined : pairs.get(service),
    message: shown === '' ? line : shown,
    text: proper === '' ? shown : proper,
    field: (name) => pairs.get(name),
  };
}

export const logfmt: LineFormat = {
  name: 'logfmt',
  read(line: string, time: TimeReader): RecordHead | undefined {
    if (!STARTS.test(line)) return undefined;
    const match = TIME.exec(line);
    const timeMs = match ? time.field(match[1] ?? match[2]) : undefined;
    return timeMs === undefined ? undefined : { timeMs, body: () => readBody(line) };
  },
};
