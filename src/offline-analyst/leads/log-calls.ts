/** The log searches that the analyst knows how to ask for. One builder a question, so that a result is found again. */
import type { LogLevel } from '../../shared/domain/contracts/tools/log-search.js';
import type { Window } from '../../shared/domain/contracts/window.js';
import type { Wanted } from '../reading/case-view.js';

export type LogCall = Wanted & { tool: 'log_search' };

export interface LogQuestion {
  window: Window;
  query?: string | undefined;
  service?: string | undefined;
  level?: LogLevel | undefined;
  groupBy?: string | undefined;
  limit: number;
}

export function logCall(question: LogQuestion): LogCall {
  const { window, query, service, level, groupBy, limit } = question;
  return {
    tool: 'log_search',
    args: {
      from: window.from,
      to: window.to,
      limit,
      ...(query === undefined ? {} : { query: query.slice(0, MAX_QUERY) }),
      ...(service === undefined ? {} : { service }),
      ...(level === undefined ? {} : { level }),
      ...(groupBy === undefined ? {} : { group_by: groupBy }),
    },
  };
}

const MAX_QUERY = 900;

/** Any of the words, in any letter case; words are letters and digits. */
export function anyOf(words: readonly string[]): string {
  return `/${words.map((word) => word.replace(/[^A-Za-z0-9_ ]/g, '.')).join('|')}/i`;
}

/** A phrase that must occur as it is. */
export function phrase(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}

/** The constant parts of a template, without its masks such as `<num>`. */
export function constantParts(template: string): string[] {
  return template
    .split(/<[a-z]+>/)
    .map((part) => part.trim())
    .filter((part) => /[A-Za-z]{2}/.test(part));
}

/** The longest constant part, cut to whole words; null when none tells enough. */
export function longestPart(template: string): string | null {
  const parts = constantParts(template).sort((a, b) => b.length - a.length);
  const longest = parts[0];
  if (longest === undefined || longest.length < 6) return null;
  if (longest.length <= 120) return longest;
  return longest.slice(0, longest.lastIndexOf(' ', 120)).trim() || null;
}

/** What of a word is looked for: its stem, unless so little is left of it that other words hold it too. */
export function searchForm(term: { word: string; stem: string }): string {
  return term.stem.length < 4 ? term.word : term.stem.replace(/y$/, '');
}
