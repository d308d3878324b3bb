/**
 * What to call next: all that the view leads to, less what was called already, within bounds. When nothing is left, the
 * Draft is due. Pure.
 */
import { TOOL_CONTRACTS } from '../../shared/domain/contracts/tools/catalogue.js';
import type { ModelToolCall } from '../../shared/domain/prompts/messages.js';
import { isDone, resultOf, type CaseView, type Wanted } from '../reading/case-view.js';
import { subjectTerms } from '../reading/question.js';
import { FILLER_STEMS } from '../reading/vocabulary.js';
import { callKey } from '../reading/transcript.js';
import { stem } from '../reading/words.js';
import { aggregatePlans } from './aggregate-plan.js';
import { changesKnown, likelyChange } from './changes.js';
import { countLeads } from './count-leads.js';
import { focusServices, foregroundTrends, logLeads, unlistedTerms } from './log-leads.js';
import { columnsCall, keysCall, sqlCall, statusCall, tableOfInterest, type SqlCall } from './sql-calls.js';
import { sqlLeads } from './sql-leads.js';
import { inWindow, isPlainName, sqlName } from './sql-text.js';
import { timeColumn } from '../reading/schema.js';

/** Below the Run's default budgets (13 rounds for the agent, 24 calls, 256 KiB): one that is spent ends the Run without a Draft. */
const MAX_ROUNDS = 8;
const MAX_CALLS = 22;
const MAX_CALLS_A_ROUND = 8;
const EVIDENCE_BYTES = 256_000;
const RESULT_BYTES = 16_384;

const LOG_WORDS =
  /\blogs?\b|\blogged\b|\bentr(?:y|ies)\b|\berrors?\b|\bwarnings?\b|\btime-?outs?\b|\bmessages?\b|\brequests?\b/i;
const MAX_LOOKUPS = 3;
const LOOKUP_WORDS = 9;

/** @param evidenceBytes what the results read so far take of the Run's evidence budget */
export function planRound(view: CaseView, round: number, evidenceBytes: number): ModelToolCall[] {
  if (round > MAX_ROUNDS || isHopeless(view)) return [];
  // The Draft needs a round of its own, so no round may spend what is left of the budget.
  const affordable = Math.floor((EVIDENCE_BYTES - evidenceBytes) / RESULT_BYTES);
  return nextCalls(view)
    .slice(0, Math.max(0, Math.min(MAX_CALLS_A_ROUND, affordable)))
    .map(({ tool, args }, index) => ({
      id: `call_r${round}_${index + 1}`,
      name: tool,
      arguments: JSON.stringify(args),
    }));
}

/** Some calls are kept back for the runbooks, which come last. */
function nextCalls(view: CaseView): Wanted[] {
  const left = (most: number): number => Math.max(0, most - view.calls.length);
  const open = unanswered(view, allLeads(view)).slice(0, left(MAX_CALLS - MAX_LOOKUPS));
  return open.length > 0 ? open : unanswered(view, lastLeads(view)).slice(0, left(MAX_CALLS));
}

function unanswered(view: CaseView, leads: readonly Wanted[]): Wanted[] {
  const seen = new Set<string>();
  return leads.filter((wanted) => {
    const key = callKey(wanted.tool, wanted.args);
    // A name of the material that fits no argument is left alone.
    if (
      seen.has(key) ||
      isDone(view, wanted) ||
      !TOOL_CONTRACTS[wanted.tool].args.safeParse(wanted.args).success
    )
      return false;
    seen.add(key);
    return true;
  });
}

function allLeads(view: CaseView): Wanted[] {
  const path = pathOf(view);
  switch (path) {
    case 'count-logs':
      return countLeads(view);
    case 'count-rows':
      return rowCountLeads(view);
    case 'cause': {
      const logs = logLeads(view);
      const rows = isAboutNothingListed(view) ? [] : sqlLeads(view);
      return [...logs.slice(0, 1), ...runbookLeads(view), ...logs.slice(1), ...rows];
    }
  }
}

/** It names a thing, and no list and no log knows that thing: whatever else goes on is not the answer. */
function isAboutNothingListed(view: CaseView): boolean {
  const { tables } = view.question;
  return unlistedTerms(view).length > 0 && tables.length === 0 && focusServices(view).length === 0;
}

/** When all else is known: runbooks for what was found, which is not always what was asked about. */
function lastLeads(view: CaseView): Wanted[] {
  if (pathOf(view) !== 'cause' || !view.offered.has('rag_lookup') || isAboutNothingListed(view)) return [];
  const made = view.calls.filter((call) => call.tool === 'rag_lookup').length;
  const lookups = foundTopics(view)
    .map((text) => plainWords(text).slice(0, LOOKUP_WORDS))
    .filter((words) => words.length >= 2)
    .map((words) => ragCall(words.join(' ')));
  const open = lookups.filter((call) => !isDone(view, call));
  return open.slice(0, Math.max(0, MAX_LOOKUPS - made));
}

/** The deepest service's new warnings, then the likely change. */
function foundTopics(view: CaseView): string[] {
  const deepest = focusServices(view).reverse();
  const warnings = deepest.flatMap((service) => foregroundTrends(view, service).map(({ part }) => part));
  const change = changesKnown(view) ? likelyChange(view) : null;
  return [...warnings.slice(0, 2), ...(change === null ? [] : [change.text])];
}

type Path = 'count-logs' | 'count-rows' | 'cause';

/** A number is taken from logs when a service is named, from rows when a table is; a name of both means the table. */
export function pathOf(view: CaseView): Path {
  const { counting, services, tables, text } = view.question;
  if (!counting) return 'cause';
  if (tables.length === 0 || !view.offered.has('mysql_query')) return 'count-logs';
  const alsoTables = services.every((service) => tables.some(({ table }) => table === service));
  return services.length === 0 || (alsoTables && !LOG_WORDS.test(text)) ? 'count-rows' : 'count-logs';
}

/** The question names nothing, and nothing is listed that it could mean: there is nothing to call. */
export function isHopeless(view: CaseView): boolean {
  const { services, databases } = view.payload.material;
  const nothingListed = services.length === 0 && databases.every(({ tables }) => tables.length === 0);
  const saysNothing = view.question.terms.length === 0 && !view.question.counting;
  return saysNothing || (nothingListed && subjectTerms(view.question).length === 0);
}

function runbookLeads(view: CaseView): Wanted[] {
  return view.offered.has('rag_lookup') ? [ragCall(view.question.subject)] : [];
}

function ragCall(query: string): Wanted & { tool: 'rag_lookup' } {
  return { tool: 'rag_lookup', args: { query: query.trim().slice(0, 500), top_k: 4 } };
}

function plainWords(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z]{4,}/g) ?? [];
  return [...new Set(words)].filter((word) => !FILLER_STEMS.has(stem(word)));
}

function rowDatabase(view: CaseView): string {
  return view.question.tables[0]?.database ?? '';
}

/** Ways to the rows' answer, the next one only when those before it came to nothing. */
function rowCountLeads(view: CaseView): SqlCall[] {
  const database = rowDatabase(view);
  const tables = view.payload.material.databases.find(({ name }) => name === database)?.tables ?? [];
  const basics = [
    columnsCall(
      database,
      tables,
      view.question.tables.map(({ table }) => table),
    ),
    keysCall(database),
  ];
  if (!basics.every((call) => isDone(view, call))) return basics;
  const leads: SqlCall[] = [];
  for (const call of rowAnswers(view)) {
    leads.push(call);
    if (!isDone(view, call) || resultOf(view, call) !== null) break;
  }
  return [...basics, ...leads];
}

/** Ranking, else status counts, else the plain number of rows of the named table. */
export function rowAnswers(view: CaseView): SqlCall[] {
  const database = rowDatabase(view);
  const plans = aggregatePlans(view, database).map(({ call }) => call);
  const table = view.question.tables[0]?.table ?? '';
  const of = tableOfInterest(view.schema, database, table);
  if (of === null || !isPlainName(table)) return plans;
  const window = view.question.timeBound ? view.window : null;
  const time = timeColumn(of.columns);
  const where = window === null || time === null ? '' : ` WHERE ${inWindow(time.name, window)}`;
  const plain = sqlCall(database, `SELECT COUNT(*) AS entry_count FROM ${sqlName(table)}${where}`, 1);
  const status = statusCall(of, window);
  return [...plans, ...(status === null ? [] : [status]), plain];
}
