/** The Draft for a question for a number or a ranking out of a database. Pure. */
import type { Draft } from '../../shared/domain/contracts/draft.js';
import type { SqlValue } from '../../shared/domain/contracts/tools/mysql-query.js';
import { callOf, resultOf, type CaseView, type SqlRead } from '../reading/case-view.js';
import { rowAnswers } from '../leads/plan.js';
import { assembleDraft } from './assemble.js';
import { checkedEmpty, listed, normal, type Finding } from './finding.js';
import { limitationsOf } from './limitations.js';

const MAX_NAMED = 3;

export function rowDraft(view: CaseView): Draft {
  const findings = rowAnswers(view).flatMap((call) => {
    const done = callOf(view, call);
    const read = resultOf(view, call);
    if (done === null || read === null) return [];
    return [read.row_count === 0 ? emptyRows(read, done.id) : rowFinding(view, read, done.id)];
  });
  const span = view.question.timeBound
    ? 'Where the rows have a time, those of the window alone were counted.'
    : 'All rows were counted, whatever their time: the question names no span of time.';
  const answer = findings.find(({ kind }) => kind === 'NORMAL');
  if (answer === undefined || answer.short === '') {
    const limitations = limitationsOf(view, ['No statement that fits the question brought a figure.']);
    return assembleDraft({ conclusion: null, findings, actions: [], recommendations: [], limitations });
  }
  return assembleDraft({
    conclusion: { text: answer.short, rests: [answer] },
    findings: [answer],
    actions: [],
    recommendations: [],
    limitations: limitationsOf(view, [span]),
  });
}

/** Rows of label columns and one figure, in the statement's order. */
function rowFinding(view: CaseView, read: SqlRead, callId: string): Finding {
  const column = read.columns.at(-1) ?? '';
  const figure = column === 'entry_count' ? 'rows' : column;
  const rows = read.rows.map((row) => `${nameOf(row)} (${shownValue(row.at(-1))})`);
  const tables = tablesOf(read.scope.sql);
  const where = tables.length === 0 ? read.scope.database : `${listed(tables)} in ${read.scope.database}`;
  if (read.columns.length === 1) {
    const text = `${column} over ${where} is ${shownValue(read.rows[0]?.[0])}.`;
    return normal('figures', { text, callIds: [callId], short: text });
  }
  const text = `Counted ${figure} over ${where} by ${listed(read.columns.slice(0, -1))}: ${rows.join('; ')}.`;
  return normal('figures', {
    text,
    callIds: [callId],
    short: ranks(view) ? ranking(read, figure, rows) : text,
  });
}

function ranks(view: CaseView): boolean {
  return /\bmost\b|\bleast\b|\bfewest\b|\btop\b|\b(?:high|low|larg|bigg|small|b)est\b/i.test(
    view.question.text,
  );
}

function ranking(read: SqlRead, figure: string, rows: readonly string[]): string {
  const [top, ...others] = rows.slice(0, MAX_NAMED);
  const word = /\bASC\b/i.test(read.scope.sql) ? 'Lowest' : 'Highest';
  return `${word} ${figure}: ${top ?? ''}${others.length === 0 ? '' : `; next ${others.join('; ')}`}.`;
}

function nameOf(row: readonly SqlValue[]): string {
  return row.slice(0, -1).map(shownValue).join(' ');
}

function shownValue(value: SqlValue | undefined): string {
  return value === undefined || value === null ? 'NULL' : String(value);
}

/** Names after FROM and JOIN: what was really read. */
function tablesOf(sql: string): string[] {
  return [
    ...new Set([...sql.matchAll(/\b(?:FROM|JOIN)\s+`?([A-Za-z0-9_$]+)`?/gi)].map((match) => match[1] ?? '')),
  ];
}

function emptyRows(read: SqlRead, callId: string): Finding {
  const tables = tablesOf(read.scope.sql);
  return checkedEmpty(
    `The query of ${listed(tables)} in database ${read.scope.database} returned no row.`,
    callId,
  );
}
