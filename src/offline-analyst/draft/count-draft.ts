/** The Draft for a question for a number out of logs. Pure. */
import type { Draft } from '../../shared/domain/contracts/draft.js';
import { callOf, resultOf, type CaseView, type LogRead } from '../reading/case-view.js';
import { quote } from '../reading/quotation.js';
import { countedTerms, exactCall, levelCalls, probeCall } from '../leads/count-leads.js';
import { assembleDraft, type Statement } from './assemble.js';
import { checkedEmpty, listed, normal, type Finding } from './finding.js';
import { limitationsOf } from './limitations.js';

const MAX_SHOWN_GROUPS = 8;
const MAX_NAMED_GROUPS = 3;

export function countDraft(view: CaseView): Draft {
  const terms = countedTerms(view);
  if (terms.length === 0) return levelDraft(view);
  const exact = exactCall(view);
  const done = exact === null ? null : callOf(view, exact.call);
  const read = exact === null ? null : resultOf(view, exact.call);
  if (exact === null || done === null || read === null || read.matched === 0) return emptyDraft(view);
  const finding = countFinding(read, done.id);
  const unmet = exact.unmet.map((term) => term.word);
  const further = unmet.length === 0 ? [] : [`The counted entries do not say: ${listed(unmet)}.`];
  return finding === null ? emptyDraft(view) : concluded(view, [finding], further);
}

function concluded(
  view: CaseView,
  answers: readonly Finding[],
  further: readonly string[] = [],
  findings: readonly Finding[] = answers,
): Draft {
  const conclusion: Statement = { text: answers.map(({ short }) => short).join(' '), rests: answers };
  const limitations = limitationsOf(view, [...further, 'Counts cover the searched span of time alone.']);
  return assembleDraft({ conclusion, findings, actions: [], recommendations: [], limitations });
}

/** One analysis: how many, in which span of entries, and by what they were grouped. */
function countFinding(read: LogRead, callId: string): Finding | null {
  const first = read.entries[0];
  const last = read.entries.at(-1);
  const asked = phrasesOf(read.scope.query ?? '').filter((text) =>
    first?.message.toLowerCase().includes(text.toLowerCase()),
  );
  const said = asked.map((text) => quote(text)).filter((text) => text !== null);
  if (first === undefined || last === undefined || said.length === 0) return null;
  const groups = read.groups ?? [];
  const by = read.scope.group_by ?? '';
  const level = read.scope.level === null ? '' : ` at level ${read.scope.level} and above`;
  const of = read.scope.service === null ? '' : ` of ${read.scope.service}`;
  const what = `${read.matched} log entries${of}${level} say ${listed(said)}`;
  const grouped = groups.slice(0, MAX_SHOWN_GROUPS).map((group) => `${group.key} (${group.count})`);
  const list = grouped.length === 0 ? '' : ` By ${by}: ${grouped.join('; ')}.`;
  return normal('figures', {
    text: `${what}; the earliest shown is at ${first.timestamp}; the latest shown is at ${last.timestamp}.${list}`,
    callIds: [callId],
    short: `${what}.${ranking(groups, by)}`,
  });
}

function ranking(groups: readonly { key: string; count: number }[], by: string): string {
  const [top, ...others] = groups;
  if (top === undefined) return '';
  const next = others.slice(0, MAX_NAMED_GROUPS - 1).map((group) => `${group.key} (${group.count})`);
  return ` Most by ${by}: ${top.key} (${top.count})${next.length === 0 ? '' : `; next ${next.join('; ')}`}.`;
}

/** What stands between quotation marks in a query that the analyst wrote. */
function phrasesOf(query: string): string[] {
  return [...query.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((match) => (match[1] ?? '').replace(/\\(.)/g, '$1'));
}

function levelDraft(view: CaseView): Draft {
  const findings = levelCalls(view).flatMap((call) => {
    const done = callOf(view, call);
    const read = resultOf(view, call);
    if (done === null || read === null) return [];
    if (read.matched === 0) return [emptySearch(read, done.id)];
    const by = read.scope.group_by ?? '';
    const level = read.scope.level === null ? '' : ` at level ${read.scope.level} and above`;
    const groups = (read.groups ?? [])
      .slice(0, MAX_SHOWN_GROUPS)
      .map((group) => `${group.key} (${group.count})`);
    if (groups.length === 0) return [];
    const service = read.scope.service === null ? '' : ` of ${read.scope.service}`;
    const text = `${read.matched} log entries${service}${level}. By ${by}: ${groups.join('; ')}.`;
    const asked = read.groups?.find((group) => group.key === view.question.level);
    const ranked =
      by === view.question.grouping
        ? `${read.matched} log entries${service}${level}.${ranking(read.groups ?? [], by)}`
        : text;
    const short =
      asked === undefined ? ranked : `${asked.count} log entries${service} have level ${asked.key}.`;
    return [normal('figures', { text, callIds: [done.id], short })];
  });
  const found = findings.filter(({ kind }) => kind === 'NORMAL');
  if (found.length === 0) return unconcluded(view, findings);
  // What the question groups by comes last, and answers it.
  return concluded(view, found.slice(-1), [], found);
}

function emptyDraft(view: CaseView): Draft {
  const probe = probeCall(view, countedTerms(view));
  const done = callOf(view, probe);
  const read = resultOf(view, probe);
  return unconcluded(
    view,
    done === null || read === null || read.matched > 0 ? [] : [emptySearch(read, done.id)],
  );
}

function unconcluded(view: CaseView, findings: readonly Finding[]): Draft {
  const limitations = limitationsOf(view, [
    'No searched message says enough of the question to be counted for it.',
  ]);
  return assembleDraft({ conclusion: null, findings, actions: [], recommendations: [], limitations });
}

function emptySearch(read: LogRead, callId: string): Finding {
  const { window, service, query } = read.scope;
  const where = service === null ? 'all logs' : `the log of ${service}`;
  const what = query === null ? '' : ` for ${query}`;
  return checkedEmpty(
    `The search of ${where}${what} from ${window.from} to ${window.to} found no entry.`,
    callId,
  );
}
