/** What a Draft owns up to: who wrote it, what failed, what was cut, and what was not looked at. Pure. */
import { subjectTerms, type Term } from '../reading/question.js';
import { messagesRead, sqlReads, type CaseView } from '../reading/case-view.js';
import { relatedStems } from '../reading/vocabulary.js';
import { stemsOf } from '../reading/words.js';
import { OFFLINE_NOTE } from '../analyst-answer.js';
import { listed } from './finding.js';

export function limitationsOf(view: CaseView, further: readonly string[] = []): string[] {
  const failed = new Set(
    view.calls.filter((call) => call.answer.kind === 'nothing').map((call) => call.tool),
  );
  const truncated = new Set(view.calls.flatMap((call) => truncatedTool(call.answer)));
  const unmet = unmetTerms(view);
  return [
    OFFLINE_NOTE,
    ...further,
    ...(unmet.length === 0
      ? []
      : [`No searched log, table name or row speaks of: ${listed(unmet.map((term) => term.word))}.`]),
    ...(failed.size === 0
      ? []
      : [`Some calls of ${listed([...failed])} came to nothing, and what they asked stays open.`]),
    ...(truncated.size === 0
      ? []
      : [
          `Some results of ${listed([...truncated])} were truncated; entries or rows beyond those shown were counted at most, not read.`,
        ]),
    'Metrics and anything outside the cited searches were not looked at.',
  ];
}

/** Words of the question for a thing that nothing read speaks of. */
export function unmetTerms(view: CaseView): Term[] {
  const known = knownStems(view);
  return subjectTerms(view.question).filter(
    (term) => ![term.stem, ...relatedStems(term.stem)].some((word) => known.has(word)),
  );
}

/**
 * True when less of the question's subject was met than not: whatever else was found is then about something else, and
 * no conclusion is drawn from it.
 */
export function missesSubject(view: CaseView): boolean {
  const unmet = unmetTerms(view).length;
  return unmet > subjectTerms(view.question).length - unmet;
}

function knownStems(view: CaseView): Set<string> {
  const { services, databases } = view.payload.material;
  return stemsOf(
    [
      ...services,
      ...databases.flatMap(({ name, tables }) => [name, ...tables]),
      ...messagesRead(view),
      ...sqlReads(view).flatMap((read) => [
        ...read.columns,
        ...read.rows.flat().filter((value) => typeof value === 'string'),
      ]),
    ].join(' '),
  );
}

function truncatedTool(answer: CaseView['calls'][number]['answer']): string[] {
  return answer.kind === 'result' && answer.projection.truncated ? [answer.projection.tool] : [];
}
