/**
 * From a question such as "which categories earned most" and a schema to one aggregated SELECT: over one relation that
 * holds both what is ranked and the figure, else over the shortest way of foreign keys between two tables. Pure.
 */
import type { CaseView } from '../reading/case-view.js';
import { order } from '../reading/name-match.js';
import {
  columnsOf,
  isNumberColumn,
  isTextColumn,
  labelColumn,
  stemsOfName,
  timeColumn,
  type Column,
} from '../reading/schema.js';
import { MONEY_STEMS } from '../reading/vocabulary.js';
import { stem } from '../reading/words.js';
import { joinPath, type Join } from './join-path.js';
import { sqlCall, type SqlCall } from './sql-calls.js';
import { inWindow, isPlainName, sqlName } from './sql-text.js';

export interface Aggregate {
  call: SqlCall;
  /** Result columns that name what is ranked, and the one with its figure. */
  labels: readonly string[];
  figure: string;
  /** Tables and views that were read, the ranked one first. */
  relations: readonly string[];
}

interface Relation {
  name: string;
  columns: readonly Column[];
  stems: ReadonlySet<string>;
}

const LIMIT = 10;

/** Ways to answer, best first; a later one is for when an earlier one is refused. */
export function aggregatePlans(view: CaseView, database: string): Aggregate[] {
  const relations = relationsOf(view, database);
  const wanted = wantedWords(view);
  const single = wanted.head === null ? null : singleRelation(view, database, relations, wanted);
  const joined = wanted.head === null ? null : joinedRelations(view, database, relations, wanted);
  return [single, joined].filter((plan) => plan !== null);
}

interface WantedWords {
  /** Stem of the noun that is ranked: "film categories" → category. Null when nothing is ranked. */
  head: string | null;
  /** Stems of what is named, money left out. */
  nouns: readonly string[];
  money: boolean;
  /** Stems of all its words. */
  all: ReadonlySet<string>;
}

function wantedWords(view: CaseView): WantedWords {
  const { text, terms } = view.question;
  const known = new Set(terms.map((term) => term.stem));
  const phrase =
    /\b(?:which|what|per|by|each|top(?: \d+| ten| five| three)?)\s+((?:[a-z_]+\s*){1,4})/i.exec(text)?.[1] ??
    '';
  const nouns: string[] = [];
  for (const word of phrase.trim().split(/\s+/)) {
    const wordStem = stem(word);
    if (!known.has(wordStem) || MONEY_STEMS.has(wordStem)) break;
    nouns.push(wordStem);
  }
  return {
    head: nouns.at(-1) ?? null,
    nouns: terms.map((term) => term.stem).filter((term) => !MONEY_STEMS.has(term)),
    money: terms.some((term) => MONEY_STEMS.has(term.stem)),
    all: known,
  };
}

function relationsOf(view: CaseView, database: string): Relation[] {
  return [...view.schema.columns.keys()]
    .filter((key) => key.startsWith(`${database}.`))
    .map((key) => key.slice(database.length + 1))
    .filter(isPlainName)
    .sort(order)
    .map((name) => ({
      name,
      columns: columnsOf(view.schema, database, name).filter((column) => isPlainName(column.name)),
      stems: new Set(stemsOfName(name)),
    }));
}

/** A table or view whose text column is the ranked noun, and which holds the figure, or is itself what is counted. */
function singleRelation(
  view: CaseView,
  database: string,
  relations: readonly Relation[],
  wanted: WantedWords,
): Aggregate | null {
  const scored = relations.flatMap((relation) => {
    const label = relation.columns.find(
      (column) => isTextColumn(column) && stemsOfName(column.name).includes(wanted.head ?? ''),
    );
    const measure = wanted.money ? moneyColumn(relation, wanted) : null;
    if (label === undefined || (wanted.money && measure === null)) return [];
    // Where the noun has a table of its own, only a relation made for the noun stands for it.
    if (!relation.stems.has(wanted.head ?? '') && tableOfNoun(relations, wanted.head ?? '') !== null)
      return [];
    const covered = wanted.nouns.filter(
      (noun) => relation.stems.has(noun) || stemsOfName(label.name).includes(noun),
    ).length;
    return covered < wanted.nouns.length ? [] : [{ relation, label, measure, extra: relation.stems.size }];
  });
  const best = scored.sort((a, b) => a.extra - b.extra)[0];
  if (best === undefined) return null;
  const { relation, label, measure } = best;
  const figure = measure === null ? 'entry_count' : `sum_${measure.name}`.slice(0, 64);
  const value = measure === null ? 'COUNT(*)' : `SUM(${sqlName(measure.name)})`;
  const name = sqlName(label.name);
  const time = timeColumn(relation.columns);
  const where = view.question.timeBound && time !== null ? ` WHERE ${inWindow(time.name, view.window)}` : '';
  const sql = `SELECT ${name}, ${value} AS ${sqlName(figure)} FROM ${sqlName(relation.name)}${where} GROUP BY ${name} ORDER BY ${sqlName(figure)} ${direction(view)} LIMIT ${LIMIT}`;
  return { call: sqlCall(database, sql, LIMIT), labels: [label.name], figure, relations: [relation.name] };
}

/** The ranked noun's own table, joined to the table of the figures. */
function joinedRelations(
  view: CaseView,
  database: string,
  relations: readonly Relation[],
  wanted: WantedWords,
): Aggregate | null {
  const ranked = tableOfNoun(relations, wanted.head ?? '');
  const measured = wanted.money ? moneyTable(relations, wanted) : countedTable(relations, wanted, ranked);
  if (ranked === null || measured === null || ranked.name === measured.name) return null;
  const joins = joinPath(view.schema, database, ranked.name, measured.name);
  const labels = labelColumns(ranked.columns);
  if (joins === null || labels.length === 0) return null;
  const measure = wanted.money ? moneyColumn(measured, wanted) : null;
  const figure = measure === null ? 'entry_count' : `sum_${measure.name}`.slice(0, 64);
  const value = measure === null ? 'COUNT(*)' : `SUM(${sqlName(measured.name)}.${sqlName(measure.name)})`;
  const names = labels.map((label) => `${sqlName(ranked.name)}.${sqlName(label)}`).join(', ');
  // Two that bear one name are two.
  const key = ranked.columns.find(({ name }) => name === 'id' || name === `${ranked.name}_id`);
  const groups = key === undefined ? names : `${sqlName(ranked.name)}.${sqlName(key.name)}, ${names}`;
  const time = timeColumn(measured.columns);
  const where =
    view.question.timeBound && time !== null
      ? ` WHERE ${sqlName(measured.name)}.${inWindow(time.name, view.window).replace(' AND ', ` AND ${sqlName(measured.name)}.`)}`
      : '';
  const sql = `SELECT ${names}, ${value} AS ${sqlName(figure)} FROM ${sqlName(ranked.name)}${joins.map(joinText).join('')}${where} GROUP BY ${groups} ORDER BY ${sqlName(figure)} ${direction(view)} LIMIT ${LIMIT}`;
  return {
    call: sqlCall(database, sql, LIMIT),
    labels,
    figure,
    relations: [ranked.name, ...joins.map((join) => join.table)],
  };
}

function direction(view: CaseView): 'ASC' | 'DESC' {
  return view.question.asksLeast ? 'ASC' : 'DESC';
}

function joinText(join: Join): string {
  return ` JOIN ${sqlName(join.table)} ON ${sqlName(join.table)}.${sqlName(join.column)} = ${sqlName(join.otherTable)}.${sqlName(join.otherColumn)}`;
}

/** The table that is called just so, else one that is called so among other words. */
function tableOfNoun(relations: readonly Relation[], noun: string): Relation | null {
  const fitting = relations.filter(({ stems, columns }) => stems.has(noun) && labelColumn(columns) !== null);
  return [...fitting].sort((a, b) => a.stems.size - b.stems.size)[0] ?? null;
}

/** A table that keeps amounts as they occurred: one with a time, its own name speaking of money if there is one. */
function moneyTable(relations: readonly Relation[], wanted: WantedWords): Relation | null {
  const rank = (relation: Relation): number =>
    ([...relation.stems].some((part) => MONEY_STEMS.has(part)) ? 2 : 0) +
    (timeColumn(relation.columns) === null ? 0 : 1);
  const fitting = relations.filter((relation) => moneyColumn(relation, wanted) !== null);
  return [...fitting].sort((a, b) => rank(b) - rank(a))[0] ?? null;
}

function countedTable(
  relations: readonly Relation[],
  wanted: WantedWords,
  ranked: Relation | null,
): Relation | null {
  const others = wanted.nouns.filter((noun) => ranked === null || !ranked.stems.has(noun));
  const fitting = relations.filter(
    (relation) => relation !== ranked && others.some((noun) => relation.stems.has(noun)),
  );
  return [...fitting].sort((a, b) => a.stems.size - b.stems.size)[0] ?? null;
}

/** A column of what was earned or paid; prices and costs only where the question asks for those by name. */
function moneyColumn(relation: Relation, wanted: WantedWords): Column | null {
  const asked = ['price', 'cost', 'value', 'rate'].map(stem).filter((word) => wanted.all.has(word));
  const says = (column: Column, words: readonly string[]): boolean =>
    stemsOfName(column.name).some((part) => words.includes(part));
  const fitting = relation.columns.filter(
    (column) => isNumberColumn(column) && !/(?:^|_)id$/i.test(column.name),
  );
  return (
    fitting.find((column) => says(column, asked)) ?? fitting.find((column) => says(column, EARNED)) ?? null
  );
}

const EARNED = [
  'amount',
  'total',
  'revenue',
  'sales',
  'income',
  'turnover',
  'paid',
  'earnings',
  'takings',
].map(stem);

/** People are told apart by both names. */
function labelColumns(columns: readonly Column[]): string[] {
  const both = ['first_name', 'last_name'];
  if (both.every((name) => columns.some((column) => column.name === name))) return both;
  const label = labelColumn(columns);
  return label === null ? [] : [label.name];
}
