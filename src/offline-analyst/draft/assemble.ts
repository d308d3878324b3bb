/** Findings as a Draft: numbered analyses and references between them. Pure. */
import type { Draft, DraftAction, DraftStatement } from '../../shared/domain/contracts/draft.js';
import type { Finding } from './finding.js';

const MAX_ANALYSES = 14;

export interface Statement {
  text: string;
  /** What it rests on; findings that are not among the Draft's are left out. */
  rests: readonly Finding[];
}

export interface DraftParts {
  conclusion: Statement | null;
  /** In the order in which they are shown; the conclusion's own come first, so that none of those is cut off. */
  findings: readonly Finding[];
  actions: readonly Statement[];
  recommendations: readonly Statement[];
  limitations: readonly string[];
}

export function assembleDraft(parts: DraftParts): Draft {
  const findings = [...new Set(parts.findings)]
    .filter(({ callIds }) => callIds.length > 0)
    .slice(0, MAX_ANALYSES);
  const ids = new Map(findings.map((finding, index) => [finding, `A${index + 1}`]));
  const statement = ({ text, rests }: Statement): DraftStatement => ({
    text,
    analysis_ids: [...new Set(rests.flatMap((finding) => ids.get(finding) ?? []))],
  });
  const action = (item: Statement): DraftAction => ({
    ...statement(item),
    requires_human_confirmation: true,
  });
  const resting = (item: Statement): boolean => item.rests.some((finding) => ids.has(finding));
  const conclusion =
    parts.conclusion !== null && resting(parts.conclusion) ? statement(parts.conclusion) : null;
  return {
    conclusion,
    analyses: findings.map((finding, index) => ({
      analysis_id: `A${index + 1}`,
      kind: finding.kind,
      text: finding.text,
      tool_call_ids: [...new Set(finding.callIds)],
    })),
    action_plan: conclusion === null ? [] : parts.actions.filter(resting).map(action),
    recommendations: conclusion === null ? [] : parts.recommendations.filter(resting).map(statement),
    limitations: [...parts.limitations],
    missing_context: [],
  };
}

/** For a question that could not even be tried. */
export function missingContextDraft(missing: readonly string[], limitations: readonly string[]): Draft {
  return {
    conclusion: null,
    analyses: [],
    action_plan: [],
    recommendations: [],
    limitations: [...limitations],
    missing_context: [...missing],
  };
}
