/**
 * Binding of a knowledge answer (KQ-2, KQ-3): every item names the Run's single lookup and documents that this lookup
 * returned, by exact membership, before anything renders.
 */
import type { KnowledgeDraft } from '../contracts/draft.js';
import type { KnowledgeAnswer, KnowledgeReference } from '../contracts/report.js';
import type { RagDocument } from '../contracts/tools/rag-lookup.js';
import type { z } from 'zod';
import { isBlank } from './blank.js';
import { parseRecord, type RawRecord, type ReadyRecord } from './canonical-record.js';

type Document = z.infer<typeof RagDocument>;

export type KnowledgeFault =
  | 'NO_LOOKUP'
  | 'LOOKUP_UNUSABLE'
  | 'NO_HITS'
  | 'NO_ITEMS'
  | 'TEXT_BLANK'
  | 'TOO_MANY'
  | 'OTHER_LOOKUP'
  | 'NO_DOCUMENT'
  | 'UNKNOWN_DOCUMENT';

export type KnowledgeBinding =
  { ok: true; answer: KnowledgeAnswer; record: ReadyRecord } | { ok: false; fault: KnowledgeFault };

const MAX_ITEMS = 64;

export interface Lookup {
  toolCallId: string;
  raw: RawRecord | null;
}

/** @param draft null when the agent's last message was no valid knowledge draft. */
export function bindKnowledge(
  runId: string,
  draft: KnowledgeDraft | null,
  lookup: Lookup | null,
): KnowledgeBinding {
  if (lookup === null) return { ok: false, fault: 'NO_LOOKUP' };
  const parsed = lookup.raw === null ? null : parseRecord(runId, lookup.toolCallId, lookup.raw);
  if (parsed === null || !parsed.ok || parsed.record.projection.tool !== 'rag_lookup')
    return { ok: false, fault: 'LOOKUP_UNUSABLE' };
  const documents = parsed.record.projection.documents;
  if (documents.length === 0) return { ok: false, fault: 'NO_HITS' };
  if (draft === null || draft.answer_items.length === 0) return { ok: false, fault: 'NO_ITEMS' };
  if (draft.answer_items.length > MAX_ITEMS || draft.limitations.length > MAX_ITEMS)
    return { ok: false, fault: 'TOO_MANY' };
  const byId = new Map(documents.map((document) => [document.document_id, document]));
  const fault = findFault(draft, lookup.toolCallId, byId);
  if (fault !== null) return { ok: false, fault };
  return { ok: true, answer: render(draft, byId), record: parsed.record };
}

function findFault(
  draft: KnowledgeDraft,
  toolCallId: string,
  documents: ReadonlyMap<string, Document>,
): KnowledgeFault | null {
  for (const item of draft.answer_items) {
    if (isBlank(item.text)) return 'TEXT_BLANK';
    if (item.tool_call_id !== toolCallId) return 'OTHER_LOOKUP';
    if (item.document_ids.length === 0) return 'NO_DOCUMENT';
    if (!item.document_ids.every((id) => documents.has(id))) return 'UNKNOWN_DOCUMENT';
  }
  return null;
}

/** Items apart by blank lines, each ending in its `[n]`; references in the order of their first use. */
function render(draft: KnowledgeDraft, documents: ReadonlyMap<string, Document>): KnowledgeAnswer {
  const references: KnowledgeReference[] = [];
  const numbers = new Map<string, number>();
  const numberOf = (id: string): number => {
    const known = numbers.get(id);
    if (known !== undefined) return known;
    const document = documents.get(id);
    references.push({ document_id: id, title: document?.title ?? '', source: document?.source ?? '' });
    numbers.set(id, references.length);
    return references.length;
  };
  const items = draft.answer_items.map((item) => {
    const marks = [...new Set(item.document_ids)].map((id) => `[${numberOf(id)}]`).join('');
    return `${plainItem(item.text)} ${marks}`;
  });
  return { answer: items.join('\n\n'), references, limitations: draft.limitations };
}

/**
 * An item's own words, so that they cannot pass for the rendering: a line break that is followed by nothing visible would
 * look like the end of the item, and a number in square brackets like a reference that was never bound.
 */
function plainItem(text: string): string {
  return text
    .trim()
    .replace(/[\n\r\v\f\u0085\u2028\u2029][\s\p{Cf}\u0085]*/gu, '\n')
    .replace(/\[(\s*\d+\s*)\]/g, '($1)');
}
