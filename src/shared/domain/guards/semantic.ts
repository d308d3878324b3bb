/**
 * SemanticGuard's input and verdict (SG-1, SG-2, SG-4). The input is the query, the visible Draft and the snapshot, as
 * JSON in one user message; the same three give the same bytes on both attempts.
 */
import type { Draft } from '../contracts/draft.js';
import { SemanticVerdict } from '../contracts/verdict.js';
import type { ChatMessage } from '../prompts/messages.js';
import type { EvidenceSnapshot, SemanticPayload, VisibleDraft } from '../prompts/payloads.js';
import { SEMANTIC_SYSTEM } from '../prompts/semantic.js';
import { canonicalJson } from './canonical-json.js';
import { readReply, type ReadReply, type StageReply } from './reply.js';
import { utf8ByteLength } from './utf8-length.js';

/** A Draft that passed EvidenceGuard has a conclusion. */
export type ConcludedDraft = Draft & { conclusion: NonNullable<Draft['conclusion']> };

export function isConcluded(draft: Draft): draft is ConcludedDraft {
  return draft.conclusion !== null;
}

/** Every section that a reader will see, without tool call IDs. */
export function visibleDraft(draft: ConcludedDraft): VisibleDraft {
  return {
    conclusion: draft.conclusion,
    analyses: draft.analyses.map(({ analysis_id, kind, text }) => ({ analysis_id, kind, text })),
    action_plan: draft.action_plan,
    recommendations: draft.recommendations,
    limitations: draft.limitations,
  };
}

/** `bytes`: UTF-8 bytes of the messages, for `SEMANTIC_MAX_INPUT_BYTES`. */
export function semanticMessages(
  query: string,
  draft: ConcludedDraft,
  snapshot: EvidenceSnapshot,
): { messages: ChatMessage[]; bytes: number } {
  const payload: SemanticPayload = { query, draft: visibleDraft(draft), evidence: snapshot };
  const content = canonicalJson(payload);
  return {
    messages: [
      { role: 'system', content: SEMANTIC_SYSTEM },
      { role: 'user', content },
    ],
    bytes: utf8ByteLength(SEMANTIC_SYSTEM) + utf8ByteLength(content),
  };
}

export function readVerdict(reply: StageReply, maxBytes: number): ReadReply<SemanticVerdict> {
  return readReply(reply, SemanticVerdict, maxBytes);
}
