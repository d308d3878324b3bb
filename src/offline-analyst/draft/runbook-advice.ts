/** What the runbooks that were found advise for what was found, in their own words. Pure. */
import type { CaseView, RagRead } from '../reading/case-view.js';
import { quote } from '../reading/quotation.js';
import { readRunbook, sectionUse } from '../reading/runbook.js';
import { FILLER_STEMS } from '../reading/vocabulary.js';
import { stemsOf } from '../reading/words.js';
import { normal, type Finding } from './finding.js';

export interface RunbookAdvice {
  finding: Finding;
  actions: readonly string[];
  checks: readonly string[];
}

const MAX_RUNBOOKS = 2;
const MAX_ACTIONS = 2;
const MAX_CHECKS = 1;
const MAX_STATEMENT = 220;
const WARNING = /^(?:never|do not|don['’]t|avoid)\b/i;
/** Fewer shared words than this, and the runbook is about something else. */
const NEEDED_SHARED = 3;

type Document = RagRead['documents'][number];

/** From the two runbooks that speak most of what was found. @param told the findings in words. */
export function advicesFor(view: CaseView, told: string): RunbookAdvice[] {
  const about = new Set(
    [...stemsOf(`${view.question.text} ${told}`)].filter(
      (word) => word.length > 3 && !FILLER_STEMS.has(word),
    ),
  );
  const scored = view.calls.flatMap((call) => {
    const { answer } = call;
    if (answer.kind !== 'result' || answer.projection.tool !== 'rag_lookup') return [];
    return answer.projection.documents.map((document) => ({
      id: call.id,
      document,
      ...overlap(document, about),
    }));
  });
  const fitting = scored.filter(({ shared, inTitle }) => shared >= NEEDED_SHARED && inTitle > 0);
  fitting.sort((a, b) => b.inTitle * 3 + b.shared - (a.inTitle * 3 + a.shared));
  const seen = new Set<string>();
  return fitting
    .filter(({ document }) => !seen.has(document.document_id) && seen.add(document.document_id))
    .flatMap(({ id, document }) => adviceOf(document, id, about) ?? [])
    .slice(0, MAX_RUNBOOKS);
}

function overlap(document: Document, about: ReadonlySet<string>): { shared: number; inTitle: number } {
  const title = stemsOf(document.title);
  const body = stemsOf(document.excerpt);
  return {
    shared: [...about].filter((word) => body.has(word) || title.has(word)).length,
    inTitle: [...about].filter((word) => title.has(word)).length,
  };
}

function adviceOf(document: Document, callId: string, about: ReadonlySet<string>): RunbookAdvice | null {
  const sections = readRunbook(document.excerpt);
  const from = (use: ReturnType<typeof sectionUse>, most: number): string[] =>
    closest(
      sections
        .filter(({ heading }) => sectionUse(heading) === use)
        .flatMap(({ statements }) => statements)
        .map((statement) => statement.split('\n')[0] ?? '')
        .filter(
          (statement) =>
            !statement.endsWith(':') &&
            statement.length <= MAX_STATEMENT &&
            quote(statement, MAX_STATEMENT) !== null,
        ),
      about,
      most,
    );
  const acts = from('act', MAX_ACTIONS);
  const actions = acts.filter((statement) => !WARNING.test(statement));
  // A warning is nothing to be done.
  const checks = [...from('check', MAX_CHECKS), ...acts.filter((statement) => WARNING.test(statement))];
  const title = quote(document.title);
  const said = [...actions, ...checks].map((statement) => quote(statement, MAX_STATEMENT) ?? '');
  if (title === null || said.length === 0) return null;
  const finding = normal('context', { text: `Runbook ${title} says: ${said.join('; ')}`, callIds: [callId] });
  return { finding, actions, checks };
}

/** Statements that share most words with what was found, in the document's order. */
function closest(statements: readonly string[], about: ReadonlySet<string>, most: number): string[] {
  const scored = statements.map((statement) => ({
    statement,
    shared: [...stemsOf(statement)].filter((word) => about.has(word)).length,
  }));
  const ranked = scored.filter(({ shared }) => shared > 0).sort((a, b) => b.shared - a.shared);
  const kept = new Set(ranked.slice(0, most).map(({ statement }) => statement));
  return statements.filter((statement) => kept.has(statement));
}
