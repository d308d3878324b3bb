/** A diagnosis round: the next calls, or the Draft when nothing new is left to call. Pure. */
import type { ChatMessage } from '../../shared/domain/prompts/messages.js';
import { jsonAnswer, OFFLINE_NOTE, type AnalystAnswer } from '../analyst-answer.js';
import { missingContextDraft } from '../draft/assemble.js';
import { writeDraft } from '../draft/write-draft.js';
import { planRound } from '../leads/plan.js';
import { viewCase } from '../reading/case-view.js';
import { readTranscript } from '../reading/transcript.js';

/** @param tools names of the tools offered. */
export function diagnose(messages: readonly ChatMessage[], tools: readonly string[]): AnalystAnswer {
  const transcript = readTranscript(messages);
  if (transcript === null)
    return jsonAnswer(
      missingContextDraft(['A question in the form that this service sends'], [OFFLINE_NOTE]),
    );
  const view = viewCase(transcript, tools);
  // Refused calls of its own making would be refused again.
  const calls = transcript.refused ? [] : planRound(view, transcript.round, transcript.evidenceBytes);
  if (calls.length > 0) return { finishReason: 'tool_calls', content: '', toolCalls: calls };
  return jsonAnswer(writeDraft(view));
}
