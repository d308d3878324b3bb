/** One analysis against its own evidence. Pure; the judge's own reading. */
import type { VisibleDraft } from '../../shared/domain/prompts/payloads.js';
import { claimsOf, unanchored } from './clause-check.js';
import {
  oneLine,
  recordsOf,
  standsWhole,
  type AnalysisEvidence,
  type EvidenceRecord,
} from './evidence-records.js';
import { EMPTY_FINDING, NEGATION, OVERCLAIM, PROOF } from './reporting-words.js';
import { clausesOf, plainWords, sentencesOf, tokensOf, type Token } from './tokens.js';

type Analysis = VisibleDraft['analyses'][number];

/** Null when the analysis says no more than its evidence. */
export function analysisFault(analysis: Analysis, evidence: AnalysisEvidence): string | null {
  if (evidence.evidence.length === 0) return 'it has no evidence.';
  const records = recordsOf(evidence);
  const tokens = tokensOf(analysis.text);
  const statuses = new Set(evidence.evidence.map((call) => call.evidence_status));
  if (analysis.kind === 'NORMAL') {
    if (statuses.has('NO_EVIDENCE') || records.length === 0)
      return 'a finding needs records, and there are none.';
    return normalFault(tokens, records);
  }
  if (analysis.kind !== 'NEGATIVE_OBSERVATION') return 'its kind is unknown.';
  if (statuses.has('EVIDENCE_FOUND')) return 'a negative observation rests on searches that found something.';
  return negativeFault(analysis.text, tokens, records);
}

function normalFault(tokens: readonly Token[], records: readonly EvidenceRecord[]): string | null {
  for (const sentence of sentencesOf(tokens)) {
    const words = spoken(sentence);
    if (standsVerbatim(sentence, records)) continue;
    if (NEGATION.test(words))
      return `"${words}" denies something, which records that were found do not show.`;
    if (OVERCLAIM.test(words) || PROOF.test(words)) return `"${words}" claims more than records can carry.`;
  }
  return clauseFault(tokens, records);
}

/** That this search, in its scope, found nothing: so much and no more (IV-5). */
function negativeFault(
  text: string,
  tokens: readonly Token[],
  records: readonly EvidenceRecord[],
): string | null {
  const sentences = sentencesOf(tokens);
  if (!EMPTY_FINDING.test(text)) return 'it does not say that a search found nothing.';
  for (const sentence of sentences) {
    const words = spoken(sentence);
    if (!EMPTY_FINDING.test(words)) return `"${words}" says more than that a search found nothing.`;
    const rest = words.replace(EMPTY_FINDING, ' ');
    if (NEGATION.test(rest)) return `"${words}" denies more than the search.`;
    if (PROOF.test(rest) || OVERCLAIM.test(rest.replace(/\ball logs\b/, ' ')))
      return `"${words}" makes a general claim of an empty search.`;
  }
  const scoped = tokens.filter((token) => !(token.kind === 'word' && token.text.toLowerCase() === 'all'));
  return clauseFault(scoped, records);
}

function clauseFault(tokens: readonly Token[], records: readonly EvidenceRecord[]): string | null {
  const clauses = clausesOf(tokens);
  if (!clauses.some((clause) => claimsOf(clause).length > 0)) return 'it says nothing that could be checked.';
  for (const clause of clauses) {
    const lost = unanchored(clause, records);
    if (lost !== null) return `"${lost}" does not stand so in one record of its evidence.`;
  }
  return null;
}

/** The sentence outside its quotations: those are held against the records word for word. */
export function spoken(sentence: readonly Token[]): string {
  return sentence.map((token) => (token.kind === 'quote' ? '…' : token.text)).join(' ');
}

/** The whole sentence is one that the evidence says itself. */
function standsVerbatim(sentence: readonly Token[], records: readonly EvidenceRecord[]): boolean {
  const words = plainWords(sentence);
  if (words.length < 3 || sentence.length === 0) return false;
  const line = oneLine(sentence.map(({ text }) => text).join(' '));
  return records.some((record) => record.kind !== 'scope' && standsWhole(record.text, line));
}
