/**
 * SemanticGuard's stage by rules: an independent reading of the visible Draft against its snapshot. Whatever is not
 * carried, and whatever cannot be checked, is UNSUPPORTED; text inside the data decides nothing. Pure.
 */
import type { SemanticVerdict } from '../../shared/domain/contracts/verdict.js';
import type { ChatMessage } from '../../shared/domain/prompts/messages.js';
import { SemanticPayload } from '../../shared/domain/prompts/payloads.js';
import { jsonAnswer, type AnalystAnswer } from '../analyst-answer.js';
import { analysisFault } from './analysis-check.js';
import { conclusionFault, limitationFault, statementFault } from './statement-check.js';
import { recordsOf, type EvidenceRecord } from './evidence-records.js';

export function judgeReport(messages: readonly ChatMessage[]): AnalystAnswer {
  const user = messages.find((message) => message.role === 'user');
  const payload = SemanticPayload.safeParse(jsonOf(user?.content ?? ''));
  // Not an UNSUPPORTED report but an unreadable one: an empty object is no verdict, and so a technical failure.
  if (!payload.success) return jsonAnswer({});
  const fault = faultOf(payload.data);
  const verdict: SemanticVerdict =
    fault === null
      ? {
          verdict: 'SUPPORTED',
          reason:
            'Each clause of each analysis stands in one record of its own evidence, and the rest rests on the analyses named.',
        }
      : { verdict: 'UNSUPPORTED', reason: fault.slice(0, 500) };
  return jsonAnswer(verdict);
}

/** Null when all of it is carried; else which part is not, and why. */
function faultOf({ query, draft, evidence }: SemanticPayload): string | null {
  if (draft.analyses.length === 0) return 'The report has no analysis.';
  if (draft.analyses.length !== evidence.analyses.length)
    return 'The evidence does not belong to these analyses.';
  const records = new Map<string, EvidenceRecord[]>();
  for (const [index, analysis] of draft.analyses.entries()) {
    const own = evidence.analyses[index];
    if (own?.analysis_id !== analysis.analysis_id || own.kind !== analysis.kind)
      return `Analysis ${analysis.analysis_id} has no evidence of its own.`;
    const fault = analysisFault(analysis, own);
    if (fault !== null) return `Analysis ${analysis.analysis_id}: ${fault}`;
    records.set(analysis.analysis_id, recordsOf(own));
  }
  const under = (ids: readonly string[]): EvidenceRecord[] => ids.flatMap((id) => records.get(id) ?? []);
  const conclusion = conclusionFault(draft.conclusion, under(draft.conclusion.analysis_ids), query);
  if (conclusion !== null)
    return `Conclusion (on ${draft.conclusion.analysis_ids.join(', ')}): ${conclusion}`;
  return (
    firstFault('Action', draft.action_plan, (item) =>
      statementFault(item.text, under(item.analysis_ids), query, item.requires_human_confirmation),
    ) ??
    firstFault('Recommendation', draft.recommendations, (item) =>
      statementFault(item.text, under(item.analysis_ids), query, true),
    ) ??
    firstFault('Limitation', draft.limitations, (text) => limitationFault(text, [...records.values()].flat()))
  );
}

function firstFault<T>(what: string, items: readonly T[], check: (item: T) => string | null): string | null {
  for (const [index, item] of items.entries()) {
    const fault = check(item);
    if (fault !== null) return `${what} ${index + 1}: ${fault}`;
  }
  return null;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
