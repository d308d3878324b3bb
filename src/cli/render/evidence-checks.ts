/**
 * An analysis's evidence as its reader wants it: one check per tool call, with its result in words and the records that
 * carry the sentence. Pure; nothing is dropped silently: `more` counts the records that are not among those picked.
 */
import type { EvidenceItem } from '../../shared/domain/contracts/report.js';

export interface ShownCheck {
  tool: string;
  scope: EvidenceItem['scope'];
  /** When the check ended. */
  timestamp: string;
  /** The result's own counts, in words; null when the report carries none for this check. */
  facts: string | null;
  picked: EvidenceItem[];
  /** Records of the check that are not picked. */
  more: number;
}

/** The item that carries the result's own counts has this source. */
const RESULT = 'result';
/** What identifies a record in a sentence: numbers, times, addresses, names with a digit or a separator in them. */
const TOKEN = /[\p{L}\p{N}_]+(?:[.:/@-][\p{L}\p{N}_]+)*/gu;

/** @param limit records to pick per check; those that share most of the text's values come first, in time order. */
export function evidenceChecks(text: string, evidence: readonly EvidenceItem[], limit: number): ShownCheck[] {
  const wanted = tellingTokens(text);
  return callsOf(evidence).map((items) => {
    const records = items.filter((item) => item.source !== RESULT);
    const result = items.find((item) => item.source === RESULT);
    const picked = pick(records, wanted, limit);
    const head = result ?? items[0];
    return {
      tool: head?.tool ?? '',
      scope: head?.scope ?? {},
      timestamp: head?.timestamp ?? '',
      facts: result === undefined ? null : factsText(result),
      picked,
      more: records.length - picked.length,
    };
  });
}

/** A call's items stand together, its result first; without a result, its scope tells a call from the next. */
function callsOf(evidence: readonly EvidenceItem[]): EvidenceItem[][] {
  const calls: EvidenceItem[][] = [];
  for (const item of evidence) {
    const current = calls.at(-1);
    if (current !== undefined && belongs(item, current)) current.push(item);
    else calls.push([item]);
  }
  return calls;
}

function belongs(item: EvidenceItem, call: readonly EvidenceItem[]): boolean {
  const [head] = call;
  if (head === undefined || item.source === RESULT || item.tool !== head.tool) return false;
  // Long texts of a scope are clipped on the records behind a result, so that scopes need not be equal there.
  return head.source === RESULT || JSON.stringify(item.scope) === JSON.stringify(head.scope);
}

function pick(records: readonly EvidenceItem[], wanted: ReadonlySet<string>, limit: number): EvidenceItem[] {
  const scored = records.map((item, index) => ({ item, index, score: shared(item.excerpt, wanted) }));
  return scored
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, limit)
    .sort((a, b) => a.index - b.index)
    .map(({ item }) => item);
}

function shared(excerpt: string, wanted: ReadonlySet<string>): number {
  let count = 0;
  for (const token of tellingTokens(excerpt)) if (wanted.has(token)) count += 1;
  return count;
}

function tellingTokens(text: string): Set<string> {
  const tokens = [...text.matchAll(TOKEN)].map(([token]) => token.toLowerCase());
  return new Set(tokens.filter((token) => /\d/.test(token) || /[._/:@-]/.test(token) || token.length >= 8));
}

/** `{"matched":370,"truncated":false}` → `370 matched`. Counts that are not known are shown by their name. */
function factsText(result: EvidenceItem): string | null {
  const facts = parseFacts(result.excerpt);
  if (facts === null) return null;
  const words: string[] = [];
  for (const [name, value] of Object.entries(facts)) {
    if (name === 'truncated') {
      if (value === true) words.push('not all shown');
    } else words.push(countText(name, value));
  }
  return words.join(', ');
}

function countText(name: string, value: unknown): string {
  const count = typeof value === 'number' ? String(value) : JSON.stringify(value);
  switch (name) {
    case 'matched':
      return count === '1' ? '1 matching entry' : `${count} matching entries`;
    case 'row_count':
      return count === '1' ? '1 row' : `${count} rows`;
    case 'documents':
      return count === '1' ? '1 document' : `${count} documents`;
    default:
      return `${name} ${count}`;
  }
}

function parseFacts(excerpt: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(excerpt);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
