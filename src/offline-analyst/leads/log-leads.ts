/**
 * Where the logs lead for a question about a cause: the named services' warnings, what of them is new, the services that
 * they name in turn, and the changes made at that time. Pure: the same view gives the same calls.
 */
import type { Window } from '../../shared/domain/contracts/window.js';
import { isDone, messagesRead, resultOf, type CaseView, type LogRead } from '../reading/case-view.js';
import { subjectTerms, type Term } from '../reading/question.js';
import { namesWhole, stemsOf } from '../reading/words.js';
import { anyOf, logCall, longestPart, phrase, searchForm, type LogCall } from './log-calls.js';

const MAX_FOCUS = 5;
/** Of the service that was asked about, and of those that it leads to. */
const MAX_TEMPLATES = { asked: 3, led: 2 } as const;
/** A template that was half as frequent before is nothing new. */
const BACKGROUND_SHARE = 0.5;
const FULL_GROUP_LIST = 20;
const MAX_SCALE = 4;

/** Recorded actions that change how a system behaves; apart, so that frequent ones do not crowd out rare ones. */
const CHANGE_WORDS = {
  schema: ['migrat', 'schema', 'alter table', 'drop index', 'create index'],
  rollout: ['deploy', 'rollout', 'rolled out', 'upgrade', 'config', 'feature flag', 'restart', 'version'],
} as const;
type ChangeKind = keyof typeof CHANGE_WORDS;
const CONTENTION = /\block(?:s|ed|ing)?\b|deadlock|transaction/i;
/** Who holds what, not who waited for it: of the latter there are too many to see the former among them. */
const HOLDER_QUERY = '/transaction|holds|held by|deadlock/i -"lock wait timeout"';

export function logLeads(view: CaseView): LogCall[] {
  if (!view.offered.has('log_search')) return [];
  const leads: LogCall[] = [];
  const unknown = unlistedTerms(view);
  if (view.question.services.length === 0) leads.push(surveyCall(view));
  if (unknown.length > 0) leads.push(termsCall(view, unknown));
  const focus = focusServices(view);
  for (const service of focus) leads.push(...serviceLeads(view, service));
  if (focus.length === 0) return leads;
  if (view.calls.length > 0) leads.push(...changeCalls(view));
  if (messagesRead(view).some((message) => CONTENTION.test(message))) leads.push(contentionCall(view));
  return leads;
}

export function surveyCall(view: CaseView): LogCall {
  return logCall({ window: view.window, level: 'WARN', groupBy: 'service', limit: 20 });
}

/** Words that no listed name explains, looked for anywhere in the logs. */
export function termsCall(view: CaseView, terms: readonly Term[]): LogCall {
  return logCall({
    window: view.window,
    query: anyOf(terms.map(searchForm)),
    groupBy: 'template',
    limit: 20,
  });
}

export function templatesCall(view: CaseView, service: string): LogCall {
  return logCall({ window: view.window, service, level: 'WARN', groupBy: 'template', limit: 20 });
}

export function baselineCall(view: CaseView, service: string): LogCall {
  return logCall({ window: view.before, service, level: 'WARN', groupBy: 'template', limit: 5 });
}

/** A service that warned of nothing may still say something. */
export function everythingCall(view: CaseView, service: string): LogCall {
  return logCall({ window: view.window, service, groupBy: 'template', limit: 20 });
}

/** When a message began; of one that comes as an error and as a warning, the error. */
export function onsetCall(view: CaseView, service: string, part: string): LogCall {
  const samples = resultOf(view, templatesCall(view, service))?.entries ?? [];
  const severe = samples.some(
    (entry) => /^(?:ERROR|FATAL)$/.test(entry.level) && entry.message.includes(part),
  );
  const level = severe ? 'ERROR' : 'WARN';
  return logCall({ window: view.window, service, level, query: phrase(part), limit: 12 });
}

/** In the window; where that shows none, in the span before it too. */
export function changeCalls(view: CaseView): LogCall[] {
  const inside = [changeCall(view.window, 'schema'), changeCall(view.window, 'rollout')];
  const none = inside.every((call) => resultOf(view, call)?.matched === 0);
  return none ? [...inside, changeCall(view.before, 'schema'), changeCall(view.before, 'rollout')] : inside;
}

function changeCall(window: Window, kind: ChangeKind): LogCall {
  return logCall({ window, query: anyOf(CHANGE_WORDS[kind]), limit: 20 });
}

export function contentionCall(view: CaseView): LogCall {
  return logCall({ window: view.window, query: HOLDER_QUERY, groupBy: 'template', limit: 20 });
}

/** The words of the question that no service and no table explains, at most six. */
export function unlistedTerms(view: CaseView): Term[] {
  const listed = stemsOf(
    [
      ...view.question.services,
      ...view.question.tables.map(({ table }) => table),
      ...view.payload.material.databases.map(({ name }) => name),
    ].join(' '),
  );
  return subjectTerms(view.question)
    .filter((term) => !listed.has(term.stem))
    .slice(0, 6);
}

/** The named services, else those where the named words or the most warnings stand; then whatever these name. */
export function focusServices(view: CaseView): string[] {
  const focus = startServices(view).slice(0, 3);
  for (let at = 0; at < focus.length && focus.length < MAX_FOCUS; at += 1) {
    for (const named of servicesMentionedBy(view, focus[at] ?? '')) {
      if (!focus.includes(named) && focus.length < MAX_FOCUS) focus.push(named);
    }
  }
  return focus;
}

function startServices(view: CaseView): string[] {
  if (view.question.services.length > 0) return [...view.question.services];
  const unknown = unlistedTerms(view);
  if (unknown.length > 0) {
    const hits = resultOf(view, termsCall(view, unknown));
    return [...new Set((hits?.entries ?? []).map((entry) => entry.service))];
  }
  return (resultOf(view, surveyCall(view))?.groups ?? []).map((group) => group.key);
}

/** Listed services that stand in the warnings of this one, most often named first. */
function servicesMentionedBy(view: CaseView, service: string): string[] {
  const reads = [
    resultOf(view, templatesCall(view, service)),
    ...onsetCalls(view, service).map((c) => resultOf(view, c)),
  ];
  const messages = new Set(reads.flatMap((read) => (read?.entries ?? []).map((entry) => entry.message)));
  const counts = view.payload.material.services
    .filter((name) => name !== service)
    .map((name) => ({ name, count: [...messages].filter((message) => namesWhole(message, name)).length }));
  return counts
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count)
    .map(({ name }) => name);
}

function serviceLeads(view: CaseView, service: string): LogCall[] {
  const templates = templatesCall(view, service);
  const read = resultOf(view, templates);
  if (read?.matched === 0) return [templates, everythingCall(view, service)];
  return [templates, baselineCall(view, service), ...onsetCalls(view, service)];
}

export interface TemplateTrend {
  key: string;
  part: string;
  count: number;
  /** Count in the span before; null when that span says nothing about it. */
  before: number | null;
  trend: 'new' | 'risen' | 'background' | 'unknown';
}

/** The service's warnings by template, most frequent first, each compared with the span before the window. */
export function templateTrends(view: CaseView, service: string): TemplateTrend[] {
  const groups = resultOf(view, templatesCall(view, service))?.groups ?? [];
  const baseline = resultOf(view, baselineCall(view, service));
  const scale = baselineScale(view, baseline);
  return groups.flatMap(({ key, count }) => {
    const part = longestPart(key);
    if (part === null) return [];
    const before = countBefore(baseline, key);
    return [{ key, part, count, before, trend: trendOf(count, before === null ? null : before * scale) }];
  });
}

/** A log that begins amid the span before the window had less of it to count in. At most four times less is made up for. */
function baselineScale(view: CaseView, baseline: LogRead | null): number {
  const first = baseline?.entries[0];
  if (first === undefined) return 1;
  const whole = Date.parse(view.before.to) - Date.parse(view.before.from);
  const covered = Date.parse(view.before.to) - Date.parse(first.timestamp);
  return covered <= 0 ? 1 : Math.min(MAX_SCALE, whole / covered);
}

function countBefore(baseline: LogRead | null, key: string): number | null {
  if (baseline === null || baseline.matched === 0) return null;
  const found = baseline.groups?.find((group) => group.key === key);
  if (found !== undefined) return found.count;
  return (baseline.groups?.length ?? 0) < FULL_GROUP_LIST ? 0 : null;
}

function trendOf(count: number, before: number | null): TemplateTrend['trend'] {
  if (before === null) return 'unknown';
  if (before === 0) return 'new';
  return before >= count * BACKGROUND_SHARE ? 'background' : 'risen';
}

/** Searches for the service's warnings that are not mere background: they tell when each began. */
function onsetCalls(view: CaseView, service: string): LogCall[] {
  return foregroundTrends(view, service).map(({ part }) => onsetCall(view, service, part));
}

/** Waits for the comparison, so that background is never looked into. */
export function foregroundTrends(view: CaseView, service: string): TemplateTrend[] {
  if (!isDone(view, baselineCall(view, service))) return [];
  const foreground = templateTrends(view, service).filter(
    ({ trend, part }, at, all) =>
      trend !== 'background' && all.findIndex((other) => other.part === part) === at,
  );
  const asked = startServices(view)[0] === service;
  return foreground.slice(0, asked ? MAX_TEMPLATES.asked : MAX_TEMPLATES.led);
}
