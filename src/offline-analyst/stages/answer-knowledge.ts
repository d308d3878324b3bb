/** A knowledge round: one lookup, then the answer in the runbook's own words (KQ-2). Pure. */
import type { KnowledgeDraft } from '../../shared/domain/contracts/draft.js';
import type { ChatMessage } from '../../shared/domain/prompts/messages.js';
import { jsonAnswer, OFFLINE_NOTE, type AnalystAnswer } from '../analyst-answer.js';
import { type RagRead } from '../reading/case-view.js';
import { readRunbook, sectionUse, type RunbookSection } from '../reading/runbook.js';
import { readTranscript, type Transcript } from '../reading/transcript.js';
import { FILLER_STEMS } from '../reading/vocabulary.js';
import { stemsOf } from '../reading/words.js';

const LOOKUP_DOCUMENTS = 5;
const MAX_ITEMS = 14;
const MAX_DOCUMENTS = 2;

type Document = RagRead['documents'][number];

export function answerKnowledge(messages: readonly ChatMessage[], tools: readonly string[]): AnalystAnswer {
  const transcript = readTranscript(messages);
  if (transcript === null) return answer([], ['The question could not be read.']);
  if (transcript.calls.length > 0 || transcript.refused) return fromLookup(transcript);
  if (!tools.includes('rag_lookup')) return answer([], ['No runbooks can be looked up here.']);
  const args = { query: lookupQuery(transcript).slice(0, 1000), top_k: LOOKUP_DOCUMENTS };
  const call = { id: `call_r${transcript.round}_1`, name: 'rag_lookup', arguments: JSON.stringify(args) };
  return { finishReason: 'tool_calls', content: '', toolCalls: [call] };
}

/** A follow-up of a few words is looked up together with what it follows. */
function lookupQuery({ payload }: Transcript): string {
  const query = payload.query.trim();
  const own = [...stemsOf(query)].filter((word) => word.length > 2 && !FILLER_STEMS.has(word));
  const earlier = payload.conversation.at(-1)?.query ?? payload.previous_turn?.user_query ?? '';
  return own.length > 0 || earlier === '' ? query : `${earlier.trim()} ${query}`;
}

function fromLookup(transcript: Transcript): AnalystAnswer {
  const lookup = transcript.calls.find((call) => call.answer.kind === 'result');
  if (lookup?.answer.kind !== 'result' || lookup.answer.projection.tool !== 'rag_lookup')
    return answer([], ['The lookup in the runbooks failed, so nothing can be said from them.']);
  const { documents, truncated } = lookup.answer.projection;
  if (documents.length === 0) return answer([], ['The lookup found no runbook about this question.']);
  const chosen = chooseDocuments(lookupQuery(transcript), documents);
  const items = chosen
    .flatMap((document) => itemsOf(transcript.payload.query, document))
    .slice(0, MAX_ITEMS)
    .map(({ text, document }) => ({ text, tool_call_id: lookup.id, document_ids: [document.document_id] }));
  return answer(items, [
    'The answer repeats passages of the named documents; whether they fit the case at hand was not checked.',
    ...(truncated ? ['Further documents were found and left out for their size.'] : []),
  ]);
}

function answer(items: KnowledgeDraft['answer_items'], limitations: readonly string[]): AnalystAnswer {
  const draft: KnowledgeDraft = { answer_items: items, limitations: [OFFLINE_NOTE, ...limitations] };
  return jsonAnswer(draft);
}

/** The document whose title says most of the question; a second one only when its title says as much. */
function chooseDocuments(query: string, documents: readonly Document[]): Document[] {
  const wanted = [...stemsOf(query)].filter((word) => !FILLER_STEMS.has(word));
  const scored = documents.map((document) => {
    const title = stemsOf(`${document.title} ${document.source}`);
    return { document, score: wanted.filter((word) => title.has(word)).length };
  });
  const best = Math.max(...scored.map(({ score }) => score));
  // Lookups return the most relevant first; that order decides where titles do not.
  const kept = scored.filter(({ score }) => score === best).map(({ document }) => document);
  return best === 0 ? kept.slice(0, 1) : kept.slice(0, MAX_DOCUMENTS);
}

/** Sections that fit what is asked come first: what to do, or what it means. */
function itemsOf(query: string, document: Document): { text: string; document: Document }[] {
  const explains = /\bmean(?:s|ing)?\b|\bwhat is\b|\bexplain\b|\bimpact\b/i.test(query);
  const order = explains ? ['explain', 'other', 'check', 'act'] : ['act', 'check', 'other', 'explain'];
  const rank = (section: RunbookSection): number => order.indexOf(sectionUse(section.heading));
  const sections = [...readRunbook(document.excerpt)].sort((a, b) => rank(a) - rank(b));
  const useful = sections.filter((section) => rank(section) < (explains ? 2 : 3));
  return (useful.length > 0 ? useful : sections).flatMap(({ heading, statements }) =>
    statements.map((statement) => ({
      text: heading === '' ? statement : `${heading}: ${statement}`,
      document,
    })),
  );
}
