/** Conclusion, actions, recommendations and limitations against the analyses that they name. Pure. */
import type { VisibleDraft } from '../../shared/domain/prompts/payloads.js';
import { spoken } from './analysis-check.js';
import { claimsOf, unanchored } from './clause-check.js';
import { oneLine, standsWhole, type EvidenceRecord } from './evidence-records.js';
import {
  CAUSAL,
  CHANGES_SYSTEM,
  EMPTY_FINDING,
  HEDGE,
  NEGATION,
  OVERCLAIM,
  PROOF,
} from './reporting-words.js';
import { clausesOf, instantOf, sentencesOf, tokensOf, type Token } from './tokens.js';

/** Null when the conclusion follows from the records under the analyses that it names. */
export function conclusionFault(
  conclusion: VisibleDraft['conclusion'],
  records: readonly EvidenceRecord[],
  query: string,
): string | null {
  if (!records.some((record) => record.kind !== 'scope')) return 'it rests on nothing that was found.';
  const tokens = tokensOf(conclusion.text);
  if (!clausesOf(tokens).some((clause) => claimsOf(clause).length > 0))
    return 'it says nothing that could be checked.';
  return (
    sentencesFault(tokens, records) ??
    clausesFault(tokens, records, query) ??
    causeFault(conclusion, tokens, records) ??
    orderFault(tokens)
  );
}

/** @param confirmed a person confirms before it is done */
export function statementFault(
  text: string,
  records: readonly EvidenceRecord[],
  query: string,
  confirmed: boolean,
): string | null {
  if (records.length === 0) return 'it rests on no analysis with records.';
  if (!confirmed && CHANGES_SYSTEM.test(text)) return 'it changes a system without asking anybody.';
  const line = oneLine(text);
  // Advice in the words of a cited document is that document's, whole.
  if (records.some((record) => record.kind === 'document' && standsWhole(record.text, line))) return null;
  const tokens = tokensOf(text);
  return sentencesFault(tokens, records) ?? clausesFault(tokens, records, query);
}

/** A limitation owns up to something; it must not deny a limit that the evidence shows. */
export function limitationFault(text: string, records: readonly EvidenceRecord[]): string | null {
  const truncated = records.some((record) => record.call.result['truncated'] === true);
  const denies =
    /\b(?:nothing|no \w+) (?:was|were|is) (?:truncated|cut|left out)\b|\b(?:all|every) \w+ (?:was|were) (?:read|seen|searched)\b|\bcomplete\b/i;
  if (truncated && denies.test(text)) return 'it denies that a result was truncated.';
  return PROOF.test(text) || /\bhealthy\b|\bruled out\b/i.test(text)
    ? 'it makes a claim instead of naming a limit.'
    : null;
}

function sentencesFault(tokens: readonly Token[], records: readonly EvidenceRecord[]): string | null {
  const emptyKnown = records.some((record) => record.kind === 'scope');
  for (const sentence of sentencesOf(tokens)) {
    const words = spoken(sentence);
    const hedged = words.replace(HEDGE, ' ');
    const rest = emptyKnown ? hedged.replace(EMPTY_FINDING, ' ') : hedged;
    if (NEGATION.test(rest)) return `"${words}" denies something that no cited search covers.`;
    if (PROOF.test(hedged) || OVERCLAIM.test(rest)) return `"${words}" is surer or wider than the evidence.`;
  }
  return null;
}

function clausesFault(
  tokens: readonly Token[],
  records: readonly EvidenceRecord[],
  query: string,
): string | null {
  for (const clause of clausesOf(tokens)) {
    const lost = unanchored(clause, records, query);
    if (lost !== null) return `"${lost}" does not stand so in one record of the analyses named.`;
  }
  return null;
}

/** A cause needs two findings that fit together, or one that names the cause itself; and it comes first in time. */
function causeFault(
  conclusion: VisibleDraft['conclusion'],
  tokens: readonly Token[],
  records: readonly EvidenceRecord[],
): string | null {
  const claims = sentencesOf(tokens)
    .map(spoken)
    .filter((words) => CAUSAL.test(words) && !/\bleaves? (?:the|a|its) cause open\b/i.test(words));
  if (claims.length === 0) return null;
  const found = records.filter((record) => record.kind !== 'scope');
  const calls = new Set(found.map((record) => record.call));
  const told = found.some(
    (record) => record.kind === 'entry' && /\b(?:caused by|because|due to|root cause)\b/i.test(record.text),
  );
  if (!told && (new Set(conclusion.analysis_ids).size < 2 || calls.size < 2))
    return 'one finding alone does not carry a cause.';
  const times = instants(tokens);
  const first = times[0];
  return first !== undefined && first > Math.min(...times)
    ? 'what it names as the start is not the earliest.'
    : null;
}

/** "After A: B" has A no later than B, "before" no earlier. */
function orderFault(tokens: readonly Token[]): string | null {
  const at = tokens.findIndex(
    (token) => token.kind === 'word' && /^(?:after|afterwards|before|later|preceded)$/i.test(token.text),
  );
  const word = tokens[at]?.text.toLowerCase() ?? '';
  const left = instants(tokens.slice(0, at));
  const right = instants(tokens.slice(at + 1));
  if (at < 0 || left.length === 0 || right.length === 0) return null;
  const backwards = word === 'before' || word === 'preceded';
  const fits = backwards ? Math.max(...right) <= Math.min(...left) : Math.max(...left) <= Math.min(...right);
  return fits ? null : `its order in time ("${word}") is not that of the records.`;
}

function instants(tokens: readonly Token[]): number[] {
  return tokens
    .filter(({ kind }) => kind === 'time')
    .map(({ text }) => instantOf(text))
    .filter((ms) => ms !== null);
}
