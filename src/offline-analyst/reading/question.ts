/** The question as the analyst understands it: what it names, what it wants, and which words remain. Pure. */
import type { LogLevel } from '../../shared/domain/contracts/tools/log-search.js';
import type { AgentPayload } from '../../shared/domain/prompts/payloads.js';
import { servicesNamed, tablesNamed, type TableName } from './name-match.js';
import { FILLER_STEMS, GENERIC_STEMS, SYMPTOM_STEMS } from './vocabulary.js';
import { stem } from './words.js';

export interface Term {
  /** As the question writes it, lower case. */
  word: string;
  stem: string;
  /** A word for trouble as such, e.g. "slow". */
  symptom: boolean;
}

export interface Question {
  text: string;
  /** The same, together with the question that it follows when it has no subject of its own. */
  subject: string;
  /** Words that could be looked up, in order, each stem once; `grouping`'s own words are not among them. */
  terms: readonly Term[];
  /** Listed services that the question names, best first. */
  services: readonly string[];
  /** Listed tables that the question names, best first. */
  tables: readonly TableName[];
  /** It asks for a number or a ranking rather than for a cause. */
  counting: boolean;
  /** `group_by` of a log search that the question asks for. */
  grouping: 'ip' | 'status' | 'path' | 'service' | 'level' | 'field:user' | null;
  /** A log level that it names: "errors", "warnings". */
  level: LogLevel | null;
  /** It speaks of a stretch of time, so that rows are to be taken from the window. */
  timeBound: boolean;
  asksLeast: boolean;
}

const COUNTING =
  /\bhow (?:many|much|often)\b|\bnumber of\b|\bcount(?:s|ed)?\b|\bmost\b|\bfewest\b|\bleast\b|\btop\b|\bhighest\b|\blargest\b|\bbiggest\b|\bbest\b|\bper\b|\btotal\b|\baverage\b/i;
const CAUSAL =
  /\bwhy\b|\bwhat (?:caused|happened|is happening|went wrong|broke)\b|\bcauses?\b|\breason\b|\broot cause\b/i;
const TIME_BOUND =
  /\bsince\b|\btoday\b|\bnow\b|\bcurrent(?:ly)?\b|\blast (?:hour|\d+)|\bpast (?:hour|\d+)|\bminutes?\b|\byesterday\b|\bduring\b|\bbetween\b|\bin the window\b|\btonight\b|\bthis (?:morning|afternoon|evening)\b|\brecent/i;

const GROUPINGS: readonly (readonly [NonNullable<Question['grouping']>, RegExp])[] = [
  [
    'ip',
    /\b(?:ip )?address(?:es)?\b|\bips?\b|\bclients?\b(?= .*\bmost\b)|\bremote hosts?\b|\bsource hosts?\b/i,
  ],
  ['status', /\bstatus(?:es)?\b|\bstatus codes?\b|\bhttp codes?\b/i],
  ['path', /\bpaths?\b|\burls?\b|\bendpoints?\b|\broutes?\b|\bpages?\b/i],
  ['field:user', /\b(?:which|what) users?\b|\busernames?\b|\bper user\b/i],
  ['service', /\b(?:which|what) services?\b|\bper service\b|\bby service\b/i],
  ['level', /\blevels?\b|\bseverit(?:y|ies)\b/i],
];

const LEVEL_WORDS: readonly (readonly [LogLevel, RegExp])[] = [
  ['FATAL', /\bfatals?\b/i],
  ['ERROR', /\berrors?\b/i],
  ['WARN', /\bwarn(?:ing)?s?\b/i],
];

export function readQuestion(payload: AgentPayload): Question {
  const own = termsOf(payload.query);
  // A follow-up without a subject of its own speaks of what was asked before.
  const subject = own.some((term) => !term.symptom)
    ? payload.query
    : `${payload.query} ${earlierQuery(payload)}`;
  const counting = COUNTING.test(payload.query) && !CAUSAL.test(payload.query);
  const grouping = counting ? (GROUPINGS.find(([, pattern]) => pattern.test(subject))?.[0] ?? null) : null;
  const terms = termsOf(subject);
  const stems = new Set(terms.map((term) => term.stem));
  return {
    text: payload.query,
    subject,
    terms: grouping === null ? terms : terms.filter((term) => !isGroupingWord(term.word, grouping)),
    services: servicesNamed(subject, stems, payload.material.services),
    tables: tablesNamed(subject, stems, payload.material),
    counting,
    grouping,
    level: LEVEL_WORDS.find(([, pattern]) => pattern.test(payload.query))?.[0] ?? null,
    timeBound: TIME_BOUND.test(payload.query),
    asksLeast: /\bleast\b|\bfewest\b|\blowest\b|\bsmallest\b/i.test(payload.query),
  };
}

/** Terms that name a thing, not a trouble. */
export function subjectTerms(question: Question): Term[] {
  return question.terms.filter((term) => !term.symptom);
}

function earlierQuery(payload: AgentPayload): string {
  return payload.previous_turn?.user_query ?? payload.conversation.at(-1)?.query ?? '';
}

function termsOf(text: string): Term[] {
  const found = new Map<string, Term>();
  for (const match of text.matchAll(/[A-Za-z][A-Za-z0-9_]*(?:[.-][A-Za-z0-9_]+)*/g)) {
    for (const word of match[0].toLowerCase().split(/[.-]/)) addTerm(found, word);
  }
  return [...found.values()];
}

function addTerm(found: Map<string, Term>, word: string): void {
  const wordStem = stem(word);
  if (word.length < 3 || FILLER_STEMS.has(wordStem) || GENERIC_STEMS.has(wordStem) || found.has(wordStem))
    return;
  found.set(wordStem, { word, stem: wordStem, symptom: SYMPTOM_STEMS.has(wordStem) });
}

function isGroupingWord(word: string, grouping: NonNullable<Question['grouping']>): boolean {
  return GROUPINGS.some(([name, pattern]) => name === grouping && pattern.test(`which ${word} most`));
}
