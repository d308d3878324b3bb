/** What a search assumed and what it left out, in sentences for `scope.assumptions`, and why it cannot say "nothing". */
import type { ScanOutcome } from './file-scan.js';
import type { FileList } from './file-list.js';
import type { SearchRequest } from './search-request.js';
import { clip, showUnseen } from './text-safety.js';

const MAX_NAMED = 5;
const MAX_NAME_CHARS = 120;

function some(names: readonly string[]): string {
  const named = names.slice(0, MAX_NAMED).map((name) => clip(showUnseen(name), MAX_NAME_CHARS));
  const others = names.length - named.length;
  return `${named.join(', ')}${others > 0 ? ` and ${String(others)} more` : ''}`;
}

function timeNotes(outcome: ScanOutcome, timeZone: string): string[] {
  const notes: string[] = [];
  if (outcome.zoneAssumed) notes.push(`times without a zone were read as ${timeZone}`);
  if (outcome.yearless.length > 0) {
    const files = outcome.yearless.map(({ name, years }) => `${name}: ${years.join(', ')}`);
    notes.push(
      `times without a year were given the newest year not after their file's modification time (${some(files)})`,
    );
  }
  const { borrowedTimes } = outcome.state;
  if (borrowedTimes > 0) {
    notes.push(
      `lines before the first time of a file were taken at that time (${String(borrowedTimes)} matched)`,
    );
  }
  return notes;
}

function serviceNotes(outcome: ScanOutcome, request: SearchRequest): string[] {
  if (request.service === null || outcome.state.serviceSeen) return [];
  const seen = [...outcome.state.services].sort();
  const known = seen.length > 0 ? `; seen: ${some(seen)}` : '';
  return [`no file and no record in the window names the service ${request.scope.service ?? ''}${known}`];
}

function groupNotes(outcome: ScanOutcome, request: SearchRequest, distinct: number, shown: number): string[] {
  const { groups } = outcome.state;
  if (groups === undefined || request.groupBy === null) return [];
  const notes: string[] = [];
  if (groups.without > 0) {
    notes.push(`${String(groups.without)} matches have no ${request.groupBy} and are in no group`);
  }
  if (groups.uncounted > 0) {
    notes.push(
      `more than ${String(distinct)} groups: ${String(groups.uncounted)} matches of later ones are not counted`,
    );
  } else if (shown < distinct) {
    notes.push(`${String(shown)} of ${String(distinct)} groups are shown, the largest`);
  }
  return notes;
}

function gapNotes(outcome: ScanOutcome, list: FileList): string[] {
  const notes: string[] = [];
  const { state, gaps, limits, notText } = outcome;
  if (gaps.length > 0) notes.push(`not searched, as they could not be read: ${some(gaps)}`);
  if (limits.length > 0) notes.push(`the search ended early: ${some(limits)}`);
  if (state.partly.size > 0)
    notes.push(`entries too long to be held were judged in parts: ${some([...state.partly])}`);
  if (state.undated.length > 0) {
    notes.push(`lines that match but carry no time were left out: ${some(state.undated)}`);
  }
  if (notText.length > 0) notes.push(`not searched, as they hold no text: ${some(notText)}`);
  if (list.outsideLinks > 0) {
    notes.push(`links that lead out of the log directory were not followed (${String(list.outsideLinks)})`);
  }
  return notes;
}

/** How many groups there are, and how many of them are in the result. */
export interface GroupFigures {
  distinct: number;
  shown: number;
}

export function searchNotes(
  outcome: ScanOutcome,
  list: FileList,
  request: SearchRequest,
  timeZone: string,
  figures: GroupFigures,
): string[] {
  return [
    ...request.scope.assumptions,
    ...timeNotes(outcome, timeZone),
    ...serviceNotes(outcome, request),
    ...groupNotes(outcome, request, figures.distinct, figures.shown),
    ...gapNotes(outcome, list),
  ];
}

/** Something was left out that could have matched. */
export function leftSomethingOut(outcome: ScanOutcome): boolean {
  const { state, gaps, limits } = outcome;
  return gaps.length > 0 || limits.length > 0 || state.partly.size > 0 || state.undated.length > 0;
}

/** Why a search without a match is no evidence of nothing; undefined when it was complete (IV-5). */
export function incompleteness(
  outcome: ScanOutcome,
): { code: 'UNAVAILABLE' | 'TOO_LARGE' | 'FAILED'; message: string } | undefined {
  const { state, gaps, limits } = outcome;
  const nothing = 'nothing matched in what could be searched, but the search is not complete';
  if (gaps.length > 0)
    return { code: 'UNAVAILABLE', message: `${nothing}: could not be read: ${some(gaps)}` };
  if (limits.length > 0) {
    return {
      code: 'TOO_LARGE',
      message: `${nothing}: ${some(limits)}; narrow the window or ask the operator to narrow the log directory`,
    };
  }
  if (state.partly.size > 0) {
    const message = `${nothing}: entries too long to be held were judged in parts in ${some([...state.partly])}; search for a single word`;
    return { code: 'TOO_LARGE', message };
  }
  if (state.undated.length > 0) {
    const message = `no dated entry matches, but lines without a readable time do (${some(state.undated)}), so that it cannot be said whether they lie in the window; add words or a service`;
    return { code: 'FAILED', message };
  }
  return undefined;
}
