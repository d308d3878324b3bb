/**
 * EvidenceRepair (ER-1, ER-2): one model call without tools may mend IDs and references; a repair that touches anything
 * else is refused. The proof is byte equality of both Drafts with the reference fields blanked.
 */
import type { Draft } from '../contracts/draft.js';
import type { RepairPayload } from '../prompts/payloads.js';
import { canonicalJson } from './canonical-json.js';
import type { Violation } from './violations.js';

const MAX_VIOLATIONS = 50;

/** What the repair prompt is told of the Run's calls that may be cited. */
export interface CitableCall {
  tool_call_id: string;
  tool: string;
  evidence_status: string;
}

export function repairPayload(
  draft: Draft,
  violations: readonly Violation[],
  invocations: readonly CitableCall[],
): RepairPayload {
  return { draft, violations: violations.slice(0, MAX_VIOLATIONS), invocations: [...invocations] };
}

/** True when the two Drafts differ in IDs and references alone. */
export function isReferenceRepair(original: Draft, repaired: Draft): boolean {
  return canonicalJson(withoutReferences(original)) === canonicalJson(withoutReferences(repaired));
}

function withoutReferences(draft: Draft): unknown {
  const statement = <T extends { analysis_ids: string[] }>(item: T): T => ({ ...item, analysis_ids: [] });
  return {
    ...draft,
    conclusion: draft.conclusion === null ? null : statement(draft.conclusion),
    analyses: draft.analyses.map((analysis) => ({ ...analysis, analysis_id: '', tool_call_ids: [] })),
    action_plan: draft.action_plan.map(statement),
    recommendations: draft.recommendations.map(statement),
  };
}
