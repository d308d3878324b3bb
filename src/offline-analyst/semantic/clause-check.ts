/** Whether one clause stands in one record. Pure; the judge's own reading. */
import { oneLine, readTables, standsWhole, type EvidenceRecord } from './evidence-records.js';
import { isReportingWord } from './reporting-words.js';
import { baseOf, instantOf, type Token } from './tokens.js';

const COUNTED_NOUN = /^(?:log|entry|entries|row|rows|times|matches|match|records?|documents?|results?)$/i;
const COUNTING_VERB = /^(?:counted|holds|matched|returned|counts)$/i;
const EARLIEST = /^(?:earliest|first|began|begins|from|since)$/i;
const LATEST = /^(?:latest|last)$/i;
const SUPERLATIVE = /^(?:most|highest|top|lowest|least|fewest|largest|smallest)$/i;
const LOW = /^(?:lowest|least|fewest|smallest)$/i;

/** What of a clause needs evidence: values, names, and words that are not a report's own. */
export function claimsOf(clause: readonly Token[]): Token[] {
  return clause.filter((token) => {
    if (token.kind === 'break' || token.kind === 'stop') return false;
    return token.kind !== 'word' || !isReportingWord(token.text);
  });
}

/**
 * The claim that no record carries together with the others, or null when one record carries all.
 * @param given values that need no record, such as those of the question in a conclusion
 */
export function unanchored(
  clause: readonly Token[],
  records: readonly EvidenceRecord[],
  given = '',
): string | null {
  const claims = claimsOf(clause).filter((token) => !(given !== '' && standsIn(token, given)));
  if (claims.length === 0) return null;
  const fitting = records.find((record) => carriesAll(clause, claims, record, records));
  if (fitting !== undefined) return null;
  const lost = claims.find((claim) => !records.some((record) => carries(claim, clause, record)));
  return lost?.text ?? claims.map(({ text }) => text).join(' + ');
}

function standsIn(token: Token, text: string): boolean {
  return standsWhole(oneLine(text), oneLine(token.text));
}

function carriesAll(
  clause: readonly Token[],
  claims: readonly Token[],
  record: EvidenceRecord,
  records: readonly EvidenceRecord[],
): boolean {
  return (
    claims.every((claim) => carries(claim, clause, record)) &&
    loggedByFits(clause, record) &&
    tableFits(clause, record) &&
    cellsFit(clause, record) &&
    extremesFit(clause, record, records) &&
    superlativeFits(clause, record)
  );
}

function carries(claim: Token, clause: readonly Token[], record: EvidenceRecord): boolean {
  switch (claim.kind) {
    case 'quote':
      return standsWhole(record.text, oneLine(claim.text), true);
    case 'time': {
      const instant = instantOf(claim.text);
      return instant === null ? standsWhole(record.text, claim.text) : record.instants.has(instant);
    }
    case 'number':
      return isCount(claim, clause)
        ? record.counts.has(claim.text)
        : standsWhole(withoutSource(record), claim.text);
    case 'name':
      return standsWhole(record.text, claim.text);
    case 'word':
      return record.words.has(baseOf(claim.text));
    case 'break':
    case 'stop':
      return true;
  }
}

/** Line numbers of a log file are no figures. */
function withoutSource(record: EvidenceRecord): string {
  return record.kind === 'entry'
    ? record.text.replace(/\S+:\d+(?=\s|$)/g, (hit) => (hit.includes('.') ? '' : hit))
    : record.text;
}

/** A number that counts entries, rows or times: it must be a count of the result, not any number in a message. */
function isCount(claim: Token, clause: readonly Token[]): boolean {
  const at = clause.indexOf(claim);
  const next = clause[at + 1];
  const before = clause[at - 1];
  return (
    (next?.kind === 'word' && COUNTED_NOUN.test(next.text)) ||
    (before?.kind === 'word' && COUNTING_VERB.test(before.text))
  );
}

/** "X logged …", "… by X at": the record's own service is X, not one that its message merely names. */
function loggedByFits(clause: readonly Token[], record: EvidenceRecord): boolean {
  if (record.kind !== 'entry' || record.service === null) return true;
  const verb = clause.findIndex((token) => token.kind === 'word' && /^logged$/i.test(token.text));
  if (verb <= 0) return true;
  const subject = clause.slice(0, verb).map(({ text }) => text.toLowerCase());
  const parts = record.service
    .toLowerCase()
    .split(/[^\p{L}\p{N}_]+/u)
    .filter((part) => part !== '');
  return (
    subject.some((word) => word === record.service?.toLowerCase()) ||
    parts.every((part) => subject.includes(part))
  );
}

/** "Table X holds …": the result was read from X. */
function tableFits(clause: readonly Token[], record: EvidenceRecord): boolean {
  if (record.kind !== 'row') return true;
  const at = clause.findIndex((token) => token.kind === 'word' && /^table$/i.test(token.text));
  const verb = clause[at + 2];
  const name = clause[at + 1];
  if (at < 0 || name === undefined || verb?.kind !== 'word' || !/^(?:holds|records)$/i.test(verb.text))
    return true;
  return readTables(record.call.scope['sql']).some(
    (table) => table.toLowerCase() === name.text.toLowerCase(),
  );
}

/** "first_seen T": the cell of that name holds T. */
function cellsFit(clause: readonly Token[], record: EvidenceRecord): boolean {
  return clause.every((token, at) => {
    const cell = token.kind === 'name' || token.kind === 'word' ? record.cells.get(token.text) : undefined;
    const next =
      clause[at + 1]?.kind === 'word' && clause[at + 1]?.text === 'is' ? clause[at + 2] : clause[at + 1];
    if (record.kind !== 'row' || cell === undefined || (next?.kind !== 'time' && next?.kind !== 'number'))
      return true;
    const instant = instantOf(next.text);
    return instant === null ? cell === next.text : instantOf(cell) === instant;
  });
}

/** What is called earliest or latest is so among the entries of its result. */
function extremesFit(
  clause: readonly Token[],
  record: EvidenceRecord,
  records: readonly EvidenceRecord[],
): boolean {
  const time = clause.find((token) => token.kind === 'time');
  const instant = time === undefined ? null : instantOf(time.text);
  if (instant === null || record.kind !== 'entry') return true;
  const all = records
    .filter((other) => other.call === record.call && other.at !== null)
    .map((other) => other.at ?? 0);
  const says = (pattern: RegExp): boolean =>
    clause.some((token) => token.kind === 'word' && pattern.test(token.text));
  if (says(LATEST)) return instant === Math.max(...all);
  return !says(EARLIEST) || instant === Math.min(...all);
}

/** What is called most stands first in a result that is ordered so. */
function superlativeFits(clause: readonly Token[], record: EvidenceRecord): boolean {
  const word = clause.find((token) => token.kind === 'word' && SUPERLATIVE.test(token.text));
  if (word === undefined || !clause.some((token) => token.kind === 'number')) return true;
  const low = LOW.test(word.text);
  if (record.kind === 'group') return record.place === 0 && !low;
  const sql = record.call.scope['sql'];
  if (record.kind !== 'row' || typeof sql !== 'string') return false;
  const order = /\bORDER BY\b[^)]*$/i.exec(sql)?.[0] ?? '';
  return record.place === 0 && (low ? order !== '' && !/\bDESC\b/i.test(order) : /\bDESC\b/i.test(order));
}
