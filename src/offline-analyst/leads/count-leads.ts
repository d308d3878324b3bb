/**
 * Questions for a number out of logs: first which messages the words mean, then an exact count of those, grouped as the
 * question asks. Pure.
 */
import { resultOf, type CaseView } from '../reading/case-view.js';
import type { Term } from '../reading/question.js';
import { relatedStems } from '../reading/vocabulary.js';
import { stem, stemsOf, wordsOf } from '../reading/words.js';
import { anyOf, constantParts, logCall, phrase, searchForm, type LogCall } from './log-calls.js';

/** Less of the question's words than this in one message, and the message is about something else. */
const NEEDED_SHARE = 0.6;

export function countLeads(view: CaseView): LogCall[] {
  if (!view.offered.has('log_search')) return [];
  const terms = countedTerms(view);
  if (terms.length === 0) return levelCalls(view);
  const probe = probeCall(view, terms);
  const read = resultOf(view, probe);
  const wider = widerProbeCall(view, terms);
  const probes = read?.matched === 0 && wider !== null ? [probe, wider] : [probe];
  const exact = exactCall(view);
  return exact === null ? probes : [...probes, exact.call];
}

/** The words that say what is counted: neither the service's name nor a level. */
export function countedTerms(view: CaseView): Term[] {
  const names = stemsOf(view.question.services.join(' '));
  const isLevel = (term: Term): boolean =>
    view.question.level !== null && /^(?:error|warn|warning|fatal)$/.test(term.stem);
  return view.question.terms.filter((term) => !names.has(term.stem) && !isLevel(term));
}

/** By level, and by what the question asks for besides. */
export function levelCalls(view: CaseView): LogCall[] {
  const { grouping, level, services } = view.question;
  const scope = { window: view.window, service: services[0], limit: 10 };
  const levels = logCall({
    ...scope,
    groupBy: services.length === 0 ? 'service' : 'level',
    level: level ?? undefined,
  });
  const all = services.length === 0 ? levels : logCall({ ...scope, groupBy: 'level' });
  if (grouping === null || grouping === 'level' || services.length === 0) return [all];
  return [all, logCall({ ...scope, groupBy: grouping, level: level ?? undefined })];
}

export function probeCall(view: CaseView, terms: readonly Term[]): LogCall {
  return probe(view, terms.map(searchForm));
}

function widerProbeCall(view: CaseView, terms: readonly Term[]): LogCall | null {
  const related = terms.flatMap((term) => relatedStems(term.stem));
  return related.length === 0 ? null : probe(view, related);
}

function probe(view: CaseView, stems: readonly string[]): LogCall {
  const query = anyOf(stems.slice(0, 12).map((word) => word.replace(/y$/, '')));
  return logCall({
    window: view.window,
    service: view.question.services[0],
    query,
    groupBy: 'template',
    limit: 5,
  });
}

export interface ExactCount {
  call: LogCall;
  /** Phrases that every counted entry holds. */
  phrases: readonly string[];
  /** Words of the question that these messages do not say. */
  unmet: readonly Term[];
}

/** The count itself; null while, or when, no message says enough of the question's words. */
export function exactCall(view: CaseView): ExactCount | null {
  const terms = countedTerms(view);
  const wider = widerProbeCall(view, terms);
  const reads = [probeCall(view, terms), ...(wider === null ? [] : [wider])].map((call) =>
    resultOf(view, call),
  );
  const templates = reads.flatMap((read) => read?.groups ?? []).map((group) => group.key);
  const best = bestTemplate(templates, terms);
  if (best === null) return null;
  const phrases = phrasesOf(best, terms);
  if (phrases.length === 0) return null;
  const { grouping, services, level } = view.question;
  const call = logCall({
    window: view.window,
    service: services[0],
    query: phrases.map(phrase).join(' '),
    level: level ?? undefined,
    groupBy: grouping ?? (services.length === 0 ? 'service' : undefined),
    limit: 12,
  });
  const unmet = terms.filter((term) => weight(best, term) === 0);
  return { call, phrases, unmet };
}

function bestTemplate(templates: readonly string[], terms: readonly Term[]): string | null {
  const scored = templates.map((template) => ({
    template,
    met: terms.filter((term) => weight(template, term) > 0).length,
    score: terms.reduce((sum, term) => sum + weight(template, term), 0),
  }));
  const enough = scored.filter(({ met }) => met > 0 && met >= terms.length * NEEDED_SHARE);
  // Groups come most frequent first, and the sort is stable.
  return enough.sort((a, b) => b.score - a.score)[0]?.template ?? null;
}

/** 3: the very word; 2: another form of it; 1: a word that means much the same. */
function weight(template: string, term: Term): number {
  const words = wordsOf(template.replace(/<[a-z]+>/g, ' '));
  if (words.includes(term.word)) return 3;
  const stems = words.map(stem);
  if (stems.includes(term.stem)) return 2;
  return relatedStems(term.stem).some((related) => stems.includes(related)) ? 1 : 0;
}

/** From each constant part the piece between the first and the last word that the question means. */
function phrasesOf(template: string, terms: readonly Term[]): string[] {
  return constantParts(template).flatMap((part) => {
    const words = [...part.matchAll(/[A-Za-z0-9_]+/g)];
    const meant = words.filter((match) => terms.some((term) => weight(match[0], term) > 0));
    const first = meant[0];
    const last = meant.at(-1);
    return first === undefined || last === undefined
      ? []
      : [part.slice(first.index, last.index + last[0].length)];
  });
}
