/** The arguments of log_search, checked and clamped, as the search runs them. Pure. */
import {
  LOG_LEVELS,
  LOG_LIMIT,
  type LogLevel,
  type LogSearchArgs,
  type LogSearchScope,
} from '../../domain/contracts/tools/log-search.js';
import { MAX_WINDOW_DAYS, normaliseWindow, Window } from '../../domain/contracts/window.js';
import { levelOfWord } from './level.js';
import { parseQuery, type Query } from './query.js';

const DAY_MS = 86_400_000;

export interface SearchRequest {
  fromMs: number;
  toMs: number;
  query: Query;
  service: string | null;
  level: LogLevel | null;
  limit: number;
  groupBy: string | null;
  scope: LogSearchScope;
}

export type RequestResult = { ok: true; request: SearchRequest } | { ok: false; message: string };

function readWindow(args: LogSearchArgs): Window | string {
  const fromMs = Date.parse(args.from);
  const toMs = Date.parse(args.to);
  if (Number.isNaN(fromMs) || Number.isNaN(toMs)) return 'from and to must be RFC 3339 times with an offset';
  if (fromMs >= toMs) return `from (${args.from}) must be before to (${args.to}); to is exclusive`;
  if (toMs - fromMs > MAX_WINDOW_DAYS * DAY_MS) {
    return `the window from ${args.from} to ${args.to} spans more than ${MAX_WINDOW_DAYS} days; search it in parts`;
  }
  const window = Window.safeParse(normaliseWindow(args));
  return window.success ? window.data : 'from and to must lie in the years 0000 to 9999 UTC';
}

function readLimit(limit: number | undefined): { limit: number; assumptions: string[] } {
  const asked = limit ?? LOG_LIMIT.default;
  const clamped = Math.min(Math.max(asked, LOG_LIMIT.min), LOG_LIMIT.max);
  const assumptions = clamped === asked ? [] : [`limit ${String(asked)} was clamped to ${String(clamped)}`];
  return { limit: clamped, assumptions };
}

export function readRequest(args: LogSearchArgs): RequestResult {
  const window = readWindow(args);
  if (typeof window === 'string') return { ok: false, message: window };
  const level = args.level === undefined ? null : levelOfWord(args.level);
  if (level === undefined) {
    return {
      ok: false,
      message: `level "${args.level ?? ''}" is not known; use one of ${LOG_LEVELS.join(', ')}`,
    };
  }
  const parsed = parseQuery(args.query ?? '');
  if (!parsed.ok) return parsed;
  const { limit, assumptions } = readLimit(args.limit);
  const scope: LogSearchScope = {
    window,
    query: args.query ?? null,
    service: args.service ?? null,
    level,
    limit,
    group_by: args.group_by ?? null,
    assumptions: [...assumptions, ...parsed.query.remarks],
  };
  const request: SearchRequest = {
    fromMs: Date.parse(window.from),
    toMs: Date.parse(window.to),
    query: parsed.query,
    service: args.service?.trim().toLowerCase() ?? null,
    level,
    limit,
    groupBy: scope.group_by,
    scope,
  };
  return { ok: true, request };
}
