/**
 * Log levels as programs write them, folded into the six of the contract. Pure.
 * Contract: TRACE, DEBUG, INFO, WARN, ERROR, FATAL; any case; syslog severities mapped; access lines by status.
 */
import { LOG_LEVELS, type LogLevel } from '../../domain/contracts/tools/log-search.js';

const WORDS: ReadonlyMap<string, LogLevel> = new Map(
  (
    [
      ['TRACE', 'TRACE TRC FINEST FINER SILLY'],
      ['DEBUG', 'DEBUG DBG FINE CONFIG VERBOSE'],
      ['INFO', 'INFO INF INFORMATION INFORMATIONAL NOTICE NOTE LOG SYSTEM'],
      ['WARN', 'WARN WARNING WRN'],
      ['ERROR', 'ERROR ERR SEVERE'],
      ['FATAL', 'FATAL FTL CRIT CRITICAL EMERG EMERGENCY ALERT PANIC DPANIC'],
    ] as const
  ).flatMap(([level, words]) => words.split(' ').map((word) => [word, level] as const)),
);

const LETTERS: ReadonlyMap<string, LogLevel> = new Map([
  ['T', 'TRACE'],
  ['D', 'DEBUG'],
  ['V', 'DEBUG'],
  ['I', 'INFO'],
  ['N', 'INFO'],
  ['W', 'WARN'],
  ['E', 'ERROR'],
  ['C', 'FATAL'],
  ['F', 'FATAL'],
  ['A', 'FATAL'],
]);

/** RFC 5424 §6.2.1: emergency, alert, critical, error, warning, notice, informational, debug. */
const SYSLOG: readonly LogLevel[] = ['FATAL', 'FATAL', 'FATAL', 'ERROR', 'WARN', 'INFO', 'INFO', 'DEBUG'];

/** 0 for TRACE … 5 for FATAL. */
export function levelRank(level: LogLevel): number {
  return LOG_LEVELS.indexOf(level);
}

/** A level word in any case, with the digits that Apache and others put behind it (`trace8`). */
export function levelOfWord(word: string): LogLevel | undefined {
  const upper = word.trim().toUpperCase();
  return WORDS.get(upper) ?? WORDS.get(upper.replace(/\d$/, ''));
}

/** The single letters of klog, logcat and MongoDB (`I`, `W`, `D2`); only where a field says that it is a level. */
export function levelOfLetter(letter: string): LogLevel | undefined {
  return /^[A-Za-z]\d?$/.test(letter) ? LETTERS.get(letter.charAt(0).toUpperCase()) : undefined;
}

/** The severity of a syslog PRI value (`facility * 8 + severity`). */
export function levelOfPriority(priority: number): LogLevel | undefined {
  return SYSLOG[priority % 8];
}

/** Numeric levels: syslog severities below 10, pino and bunyan below 100, Monolog from 100 on. */
export function levelOfNumber(value: number): LogLevel | undefined {
  if (!Number.isFinite(value) || value < 0) return undefined;
  if (value < 10) return SYSLOG[Math.floor(value)];
  if (value < 100) return LOG_LEVELS[Math.min(Math.floor(value / 10) - 1, 5)];
  if (value < 200) return 'DEBUG';
  if (value < 300) return 'INFO';
  if (value < 400) return 'WARN';
  return value < 500 ? 'ERROR' : 'FATAL';
}

/** The level in a field that is known to hold one. */
export function levelOfField(value: unknown): LogLevel | undefined {
  if (typeof value === 'number') return levelOfNumber(value);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (/^\d{1,3}$/.test(text)) return levelOfNumber(Number(text));
  return levelOfWord(text) ?? levelOfLetter(text);
}

/** Access lines: ERROR at 5xx, WARN at 4xx, else INFO. */
export function levelOfStatus(status: number): LogLevel {
  if (status >= 500) return 'ERROR';
  return status >= 400 ? 'WARN' : 'INFO';
}

const LONG_WORDS =
  'TRACE|FINEST|FINER|DEBUG|VERBOSE|INFO|INFORMATION|NOTICE|WARNING|WARN|WRN|INF|DBG|ERROR|ERR|SEVERE|FATAL|CRITICAL|CRIT|EMERGENCY|EMERG|ALERT|PANIC';
const ALL_WORDS = `${LONG_WORDS}|FINE|CONFIG|NOTE|LOG|SYSTEM|TRC|FTL`;
const TITLE_WORDS = ALL_WORDS.toLowerCase().replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
/** First token: bracketed or followed by a separator in any case, or a bare word in capitals. */
const BRACKETED = new RegExp(`^[\\s\\-|:,]*[\\[(<]\\s*(${ALL_WORDS})\\d?\\s*[\\])>][\\s:|-]*`, 'i');
const SEPARATED = new RegExp(`^[\\s\\-|:,]*(${ALL_WORDS})\\s*(?::(?!:)|\\||- |-$)[\\s|-]*`, 'i');
const CAPITALS = new RegExp(`^[\\s\\-|:,]*(${LONG_WORDS})(?![\\w.=/'-])[\\s|-]*`);
/** Behind a process number, a module, a thread name in brackets: tokens that are not prose. */
const BEHIND_TOKENS = new RegExp(
  `^\\s*(?:-\\s+|\\|\\s+|[A-Za-z]{1,40}\\s+[-|]\\s+|\\[[^\\]\\n]{0,120}\\]\\s*|[^\\s[\\]]*[\\d._:#/@$=(),-][^\\s[\\]]*\\s+){1,5}?` +
    `(?:(${LONG_WORDS})(?=[\\s:|\\])]|$)|\\[(${ALL_WORDS}|${ALL_WORDS.toLowerCase()}|${TITLE_WORDS})\\d?\\])`,
);
const KEYED = /(?:^|[\s,{])"?(?:level|lvl|severity|loglevel)"?\s?[=:]\s?"?([A-Za-z]{1,13})\b/;

export interface FoundLevel {
  level: LogLevel;
  /** Characters of the head of the text that are the level and its separators; 0 when it stands further in. */
  consumed: number;
}

/** The level in the text that follows a time, looked for only where programs put one; prose is never searched. */
export function findLevel(text: string): FoundLevel | undefined {
  const head = text.length > 160 ? text.slice(0, 160) : text;
  const first = BRACKETED.exec(head) ?? SEPARATED.exec(head) ?? CAPITALS.exec(head);
  if (first?.[1] !== undefined) {
    const level = levelOfWord(first[1]);
    if (level !== undefined) return { level, consumed: first[0].length };
  }
  const behind = BEHIND_TOKENS.exec(head);
  const word = behind?.[1] ?? behind?.[2] ?? KEYED.exec(head)?.[1];
  const level = word === undefined ? undefined : (levelOfWord(word) ?? levelOfLetter(word));
  return level === undefined ? undefined : { level, consumed: 0 };
}
