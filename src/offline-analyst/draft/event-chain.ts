/**
 * From findings to a chain of events: the likely change first, then what began after it and shares a name with it or with
 * something in the chain. What began earlier, or shares no name, stays out, however loud it is. Pure.
 */
import type { CaseView } from '../reading/case-view.js';
import { quote, sentenceOf } from '../reading/quotation.js';
import { changesRead, likelyChange, type Change } from '../leads/changes.js';
import { normal, type Finding } from './finding.js';

export interface EventChain {
  /** Null when no recorded change fits. */
  origin: Finding | null;
  /** Oldest first. */
  events: readonly Finding[];
}

const MAX_EVENTS = 5;

export function chainOf(view: CaseView, findings: readonly Finding[]): EventChain {
  const events = findings.filter(({ role }) => role === 'symptom' || role === 'slow' || role === 'lock');
  const timed = events
    .filter((event) => event.first !== null)
    .sort((a, b) => Date.parse(a.first ?? '') - Date.parse(b.first ?? ''));
  const change = likelyChange(view);
  const linked = change === null ? [] : linkedAfter(change, timed);
  if (change === null || !answersFor(view, linked))
    return { origin: null, events: symptomsOf(view, events, timed) };
  const origin = changeFinding(change, duplicatesOf(view, change));
  return { origin, events: strongest(view, linked) };
}

/** A chain that never touches what was asked about is the story of something else. */
function answersFor(view: CaseView, linked: readonly Finding[]): boolean {
  const { services } = view.question;
  return linked.some((event) => services.length === 0 || event.names.some((name) => services.includes(name)));
}

/** Everything not earlier than the change that a chain of shared names ties to it. */
function linkedAfter(change: Change, timed: readonly Finding[]): Finding[] {
  const names = new Set(change.names);
  const left = timed.filter((event) => Date.parse(event.first ?? '') >= Date.parse(change.at));
  const linked = new Set<Finding>();
  for (let grown = true; grown;) {
    grown = false;
    for (const event of left) {
      if (linked.has(event) || !event.names.some((name) => names.has(name))) continue;
      linked.add(event);
      for (const name of event.names) names.add(name);
      grown = true;
    }
  }
  return left.filter((event) => linked.has(event));
}

/**
 * When there is not room for all: first what was asked about, so that the conclusion answers; then of slow statements, of
 * locks and of other symptoms the earliest each, then the rest.
 */
function strongest(view: CaseView, linked: readonly Finding[]): Finding[] {
  const asked = linked.filter((event) =>
    event.names.slice(0, 1).some((name) => view.question.services.includes(name)),
  );
  const of = (role: Finding['role']): Finding[] => linked.filter((event) => event.role === role);
  const ranked = [
    ...asked.slice(0, 2),
    ...of('slow').slice(0, 1),
    ...of('lock').slice(0, 2),
    ...of('symptom'),
    ...linked,
  ];
  const kept = new Set([...new Set(ranked)].slice(0, MAX_EVENTS));
  return linked.filter((event) => kept.has(event));
}

/** Without a change: what was asked about first, then the rest, in order of time. */
function symptomsOf(view: CaseView, events: readonly Finding[], timed: readonly Finding[]): Finding[] {
  const asked = events.filter((event) => event.names.some((name) => view.question.services.includes(name)));
  const pool = view.question.services.length > 0 ? asked : events;
  const kept = pool.slice(0, 3);
  return [...timed.filter((event) => kept.includes(event)), ...kept.filter((event) => event.first === null)];
}

function changeFinding(change: Change, same: readonly Change[] = []): Finding {
  const words = quote(sentenceOf(change.text)) ?? '';
  const brief = quote(sentenceOf(change.text), 130) ?? words;
  const teller = change.from === 'table' ? `Table ${change.keeper} records` : `${change.keeper} logged`;
  const also = same.map((other) => {
    const told = other.from === 'table' ? `table ${other.keeper} records` : `${other.keeper} logged`;
    return `; ${told} ${quote(sentenceOf(other.text)) ?? ''} at ${other.at}`;
  });
  return normal('change', {
    text: `${teller} ${words} at ${change.at}${also.join('')}.`,
    callIds: [...new Set([change.callId, ...same.map((other) => other.callId)])],
    short: `${brief} at ${change.at}`,
    first: change.at,
    names: change.names,
  });
}

/** The same change told by another witness: it names the same, within five minutes. At most one. */
function duplicatesOf(view: CaseView, change: Change): Change[] {
  return changesRead(view)
    .filter(
      (other) =>
        other.from !== change.from &&
        quote(sentenceOf(other.text)) !== null &&
        other.names.some((name) => change.names.includes(name)) &&
        Math.abs(Date.parse(other.at) - Date.parse(change.at)) <= 300_000,
    )
    .slice(0, 1);
}
