/** The JSON schema of each stage's answer, for endpoints that can be held to one (`MODEL_JSON=schema`). */
import { z } from 'zod';
import { Draft, KnowledgeDraft } from '../contracts/draft.js';
import { RouterVerdict, SemanticVerdict } from '../contracts/verdict.js';

const ANSWERS = {
  router: RouterVerdict,
  diagnosis: Draft,
  knowledge: KnowledgeDraft,
  repair: Draft,
  semantic: SemanticVerdict,
} as const;

export function answerSchema(stage: keyof typeof ANSWERS): { name: string; schema: Record<string, unknown> } {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(ANSWERS[stage], { io: 'input' });
  return { name: `sworn_${stage}`, schema };
}
