/** The analyst's brain: one stage, one transcript, one answer. Pure and deterministic. */
import type { ChatMessage } from '../shared/domain/prompts/messages.js';
import type { Stage } from '../shared/ports/model-client.js';
import type { AnalystAnswer } from './analyst-answer.js';
import { judgeReport } from './semantic/judge-report.js';
import { answerKnowledge } from './stages/answer-knowledge.js';
import { diagnose } from './stages/diagnose.js';
import { mendReferences } from './stages/mend-references.js';
import { route } from './stages/route.js';

/** @param tools names of the tools offered. */
export function answer(
  stage: Stage,
  messages: readonly ChatMessage[],
  tools: readonly string[],
): AnalystAnswer {
  switch (stage) {
    case 'router':
      return route(messages);
    case 'diagnosis':
      return diagnose(messages, tools);
    case 'knowledge':
      return answerKnowledge(messages, tools);
    case 'repair':
      return mendReferences(messages);
    case 'semantic':
      return judgeReport(messages);
  }
}
