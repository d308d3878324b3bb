/** The Draft for a question about a cause, or about what is wrong. Pure. */
import type { Draft } from '../../shared/domain/contracts/draft.js';
import type { CaseView } from '../reading/case-view.js';
import { quote } from '../reading/quotation.js';
import { chainOf, type EventChain } from './event-chain.js';
import { assembleDraft, type Statement } from './assemble.js';
import { listed, type Finding } from './finding.js';
import { limitationsOf, missesSubject } from './limitations.js';
import { logFindings } from './log-findings.js';
import { recordFindings } from './record-findings.js';
import { advicesFor } from './runbook-advice.js';

export function causeDraft(view: CaseView): Draft {
  const findings = [...logFindings(view), ...recordFindings(view)];
  const chain = chainOf(view, findings);
  const conclusion = missesSubject(view) ? null : conclude(view, findings, chain);
  if (conclusion === null) {
    const limitations = limitationsOf(view, [
      'What was found does not carry a conclusion about the question.',
    ]);
    // What was found beside the subject is no answer to the question; what was looked for and not found is.
    const about = missesSubject(view) ? findings.filter(({ role }) => role === 'checked_empty') : findings;
    return assembleDraft({
      conclusion: null,
      findings: about,
      actions: [],
      recommendations: [],
      limitations,
    });
  }
  const advices = advicesFor(view, conclusion.rests.map(({ text }) => text).join(' '));
  const advised = (part: 'actions' | 'checks'): Statement[] =>
    advices.flatMap((advice) => advice[part].map((text) => ({ text, rests: [advice.finding] })));
  return assembleDraft({
    conclusion,
    findings: [...conclusion.rests, ...advices.map(({ finding }) => finding), ...supporting(findings, chain)],
    actions: [...reviewOfChange(chain), ...advised('actions')],
    recommendations: advised('checks'),
    limitations: limitationsOf(view),
  });
}

function conclude(view: CaseView, findings: readonly Finding[], chain: EventChain): Statement | null {
  const { origin, events } = chain;
  if (origin !== null) return causeStatement(findings, origin, events);
  if (events.length > 0) return shown(events);
  const asked = view.question.services;
  const fits = ({ names }: Finding): boolean =>
    asked.length === 0 || names.some((name) => asked.includes(name));
  const steady = findings.filter((finding) => finding.role === 'background' && fits(finding)).slice(0, 2);
  if (steady.length > 0) return shown(steady);
  const figures = findings.filter(
    (finding) => FIGURES.has(finding.role) && finding.short !== '' && fits(finding),
  );
  return figures.length === 0 ? null : shown(figures.slice(0, 1));
}

const FIGURES: ReadonlySet<Finding['role']> = new Set(['figures', 'context', 'slow']);

/** What is seen, without a cause. */
function shown(rests: readonly Finding[]): Statement {
  return {
    text: `What the evidence shows: ${rests.map(({ short }) => short).join('; ')}. It leaves the cause open.`,
    rests,
  };
}

function causeStatement(
  findings: readonly Finding[],
  origin: Finding,
  events: readonly Finding[],
): Statement {
  const gone = findings
    .filter(({ role, short }) => role === 'checked_empty' && /\bindex\b/.test(short))
    .slice(0, 1);
  const shared = [
    ...new Set(origin.names.filter((name) => events.some((event) => event.names.includes(name)))),
  ].slice(0, 2);
  const sentences = [
    `The evidence points to the recorded change ${origin.short}.`,
    ...gone.map(({ short }) => `${short.charAt(0).toUpperCase()}${short.slice(1)}.`),
    `After the change, in order of time: ${events.map(({ short }) => short).join('; ')}.`,
    `The order in time and the shared name ${listed(shared)} speak for this cause; they do not prove it.`,
  ];
  return { text: sentences.join(' '), rests: [origin, ...gone, ...events] };
}

/** Undoing a change is for people to decide. */
function reviewOfChange({ origin }: EventChain): Statement[] {
  if (origin === null) return [];
  const words = quote(origin.short.slice(1, origin.short.lastIndexOf(' at ') - 1), 130);
  return words === null
    ? []
    : [{ text: `Review the change ${words} with its owner and decide whether to undo it.`, rests: [origin] }];
}

/** What surrounds the chain: indexes and states of its tables, background, and searches that found nothing. */
function supporting(findings: readonly Finding[], chain: EventChain): Finding[] {
  const names = new Set([...(chain.origin?.names ?? []), ...chain.events.flatMap((event) => event.names)]);
  const touching = (finding: Finding): boolean => finding.names.some((name) => names.has(name));
  return [
    ...findings.filter(
      (finding) => (finding.role === 'index' || finding.role === 'figures') && touching(finding),
    ),
    ...findings.filter(({ role }) => role === 'background').slice(0, 2),
    ...findings.filter(({ role }) => role === 'checked_empty'),
    ...findings.filter(({ role }) => role === 'figures' || role === 'context'),
  ];
}
