/** Findings out of log searches for a question about a cause. Pure. */
import { callOf, resultOf, type CaseView, type LogRead } from '../reading/case-view.js';
import { quote, sentenceOf } from '../reading/quotation.js';
import { listedNames } from '../leads/changes.js';
import {
  baselineCall,
  contentionCall,
  everythingCall,
  focusServices,
  foregroundTrends,
  onsetCall,
  surveyCall,
  templatesCall,
  templateTrends,
  termsCall,
  unlistedTerms,
  type TemplateTrend,
} from '../leads/log-leads.js';
import { longestPart, type LogCall } from '../leads/log-calls.js';
import { checkedEmpty, normal, type Finding } from './finding.js';

const MAX_BACKGROUND = 2;
const MAX_CONTENTION = 2;
/** So much of the window without an entry, and the first entry is a beginning. */
const QUIET_SHARE = 0.1;
const HOLDING = /\bhold|\bopen\b|\bidle\b|\bblock|\blong|\blocks?\b|\bdeadlock/i;

interface Answered {
  id: string;
  read: LogRead;
}

export function logFindings(view: CaseView): Finding[] {
  const focus = focusServices(view);
  const symptoms = focus.flatMap((service) => symptomsOf(view, service));
  return [
    ...symptoms,
    ...contention(view, symptoms),
    ...focus.flatMap((service) => quietService(view, service)),
    ...termFindings(view),
    ...survey(view),
    ...focus.flatMap((service) => backgroundOf(view, service)).slice(0, MAX_BACKGROUND),
  ];
}

function answered(view: CaseView, call: LogCall): Answered | null {
  const done = callOf(view, call);
  const read = resultOf(view, call);
  return done === null || read === null ? null : { id: done.id, read };
}

function symptomsOf(view: CaseView, service: string): Finding[] {
  return foregroundTrends(view, service).flatMap((trend) => {
    const found = answered(view, onsetCall(view, service, trend.part));
    const finding = found === null ? null : symptom(view, service, trend, found);
    return finding === null ? [] : [finding];
  });
}

function symptom(
  view: CaseView,
  service: string,
  trend: TemplateTrend,
  { id, read }: Answered,
): Finding | null {
  const first = read.entries[0];
  const last = read.entries.at(-1);
  const words = quote(sentenceOf(first?.message ?? ''));
  const brief = quote(sentenceOf(first?.message ?? ''), 80);
  if (first === undefined || last === undefined || words === null || brief === null) return null;
  const baseline = callOf(view, baselineCall(view, service));
  const risen = trend.trend === 'risen' && trend.before !== null && baseline !== null;
  const earlier = risen
    ? ` In the span before the window, "${trend.part}" counted ${trend.before ?? 0}.`
    : '';
  const messages = read.entries.map((entry) => entry.message).join('\n');
  const began = beganInside(view, trend, read);
  const level = read.scope.level === 'ERROR' ? ' at level ERROR and above' : '';
  return normal('symptom', {
    text: `${first.service} logged ${words}; ${entries(read.matched)}${level}; the earliest shown is at ${first.timestamp}; the latest shown is at ${last.timestamp}.${earlier}`,
    callIds: risen ? [id, baseline.id] : [id],
    short: `${first.service} logged ${brief}${began ? ` from ${first.timestamp} on` : ''}`,
    first: began ? first.timestamp : null,
    names: [...new Set([first.service, service, ...listedNames(view, messages)])],
  });
}

/**
 * Whether its first entry is its beginning. What was there before and merely rose began earlier, unless its errors are new;
 * of what nothing is known before the window, an entry right at the window's start is no beginning either.
 */
function beganInside(view: CaseView, trend: TemplateTrend, read: LogRead): boolean {
  if (trend.trend === 'new') return true;
  if (trend.trend === 'risen' && read.scope.level !== 'ERROR') return false;
  const from = Date.parse(view.window.from);
  const first = Date.parse(read.entries[0]?.timestamp ?? '');
  return first - from >= (Date.parse(view.window.to) - from) * QUIET_SHARE;
}

function entries(count: number): string {
  return count === 1 ? '1 entry matches' : `${count} entries match`;
}

/** Entries about locks and transactions, anywhere, that tell who holds what. */
function contention(view: CaseView, symptoms: readonly Finding[]): Finding[] {
  const found = answered(view, contentionCall(view));
  if (found === null) return [];
  const kindOf = (text: string): string => text.replace(/\d+/g, '0').slice(0, 40);
  const seen = new Set(symptoms.map((finding) => kindOf(finding.text.replace(/^(\S+) logged ["“«]/, '$1 '))));
  const holders = found.read.entries.filter((entry) => {
    const kind = kindOf(`${entry.service} ${entry.message}`);
    if (seen.has(kind) || quote(sentenceOf(entry.message)) === null) return false;
    seen.add(kind);
    return HOLDING.test(entry.message);
  });
  return holders.slice(0, MAX_CONTENTION).map((entry) =>
    normal('lock', {
      text: `${entry.service} logged ${quote(sentenceOf(entry.message)) ?? ''} at ${entry.timestamp}.`,
      callIds: [found.id],
      short: `${entry.service} logged ${quote(sentenceOf(entry.message), 80) ?? ''} at ${entry.timestamp}`,
      first: entry.timestamp,
      names: [...new Set([entry.service, ...listedNames(view, entry.message)])],
    }),
  );
}

/** A service without warnings: the scoped negative, and what it did log most. */
function quietService(view: CaseView, service: string): Finding[] {
  const warnings = answered(view, templatesCall(view, service));
  if (warnings === null || warnings.read.matched > 0) return [];
  const { window } = warnings.read.scope;
  const negative = checkedEmpty(
    `The search of the log of ${service} at level WARN and above from ${window.from} to ${window.to} found no entry.`,
    warnings.id,
    `the search of the log of ${service} at level WARN and above found no entry`,
  );
  const everything = answered(view, everythingCall(view, service));
  const group = everything?.read.groups?.[0];
  const part = group === undefined ? null : longestPart(group.key);
  if (everything === null || group === undefined || part === null) return [negative];
  const said = normal('context', {
    text: `${service} logged ${everything.read.matched} entries at any level; most frequent: "${part}" (${group.count}).`,
    callIds: [everything.id],
    short: `${service} logged mostly "${part}" (${group.count})`,
    names: [service],
  });
  return part.includes('"') ? [negative] : [negative, said];
}

function termFindings(view: CaseView): Finding[] {
  const terms = unlistedTerms(view);
  if (terms.length === 0) return [];
  const found = answered(view, termsCall(view, terms));
  if (found === null) return [];
  const { query, window } = found.read.scope;
  if (found.read.matched === 0)
    return [
      checkedEmpty(
        `The search of all logs for ${query ?? ''} from ${window.from} to ${window.to} found no entry.`,
        found.id,
      ),
    ];
  const first = found.read.entries[0];
  const words = quote(sentenceOf(first?.message ?? ''));
  if (first === undefined || words === null) return [];
  return [
    normal('context', {
      text: `${entries(found.read.matched)} words of the question; the earliest shown is ${words} by ${first.service} at ${first.timestamp}.`,
      callIds: [found.id],
      short: `${first.service} logged ${quote(sentenceOf(first.message), 80) ?? words} at ${first.timestamp}`,
      names: [first.service],
    }),
  ];
}

function survey(view: CaseView): Finding[] {
  const call = surveyCall(view);
  const found = answered(view, call);
  if (found === null) return [];
  const { window } = found.read.scope;
  if (found.read.matched === 0)
    return [
      checkedEmpty(
        `The search of all logs at level WARN and above from ${window.from} to ${window.to} found no entry.`,
        found.id,
      ),
    ];
  const groups = (found.read.groups ?? []).slice(0, 5).map((group) => `${group.key} ${group.count}`);
  return [
    normal('figures', {
      text: `Entries at level WARN and above by service: ${groups.join('; ')}.`,
      callIds: [found.id],
      short: `entries at level WARN and above by service: ${groups.slice(0, 3).join('; ')}`,
    }),
  ];
}

/** What is as frequent as before: told, so that nobody takes it for news. */
function backgroundOf(view: CaseView, service: string): Finding[] {
  const now = callOf(view, templatesCall(view, service));
  const then = answered(view, baselineCall(view, service));
  if (now === null || then === null) return [];
  // A log that begins amid that span explains a lower count.
  const first = then.read.entries[0];
  const since = first === undefined ? '' : `; the first entry of that span is at ${first.timestamp}`;
  return templateTrends(view, service)
    .filter(({ trend, part }) => trend === 'background' && !part.includes('"'))
    .slice(0, 1)
    .map(({ part, count, before }) =>
      normal('background', {
        text: `Background in ${service}: "${part}" counted ${count} in the window; the span before the window counted ${before ?? 0}${since}.`,
        callIds: [now.id, then.id],
        short: `${service} logged "${part}" ${count} times, as it did before the window`,
        names: [service],
      }),
    );
}
