/**
 * The structure that a concluded Draft owes (EG-1, EG-2). Sizes come first and alone: a Draft that is over them is not
 * read further, so that its own length cannot make the check dear.
 */
import { ANALYSIS_KINDS, type AnalysisKind, type Draft } from '../contracts/draft.js';
import { isBlank, visibleForm } from './blank.js';
import { checkLeakedIds } from './leaked-ids.js';
import { violation, type Violation } from './violations.js';

/** Generous beside any report that a person would read. `citations`: tool call IDs in the whole Draft. */
export const DRAFT_LIMITS = { analyses: 64, items: 64, references: 64, citations: 512 } as const;

/** Empty, or why the Draft is not to be read further. */
export function checkSizes(draft: Draft): Violation[] {
  const statements = [
    ...(draft.conclusion === null ? [] : [{ path: 'conclusion', statement: draft.conclusion }]),
    ...draft.action_plan.map((statement, index) => ({ path: `action_plan.${index}`, statement })),
    ...draft.recommendations.map((statement, index) => ({ path: `recommendations.${index}`, statement })),
  ];
  const sizes: (readonly [path: string, size: number, limit: number])[] = [
    ['analyses', draft.analyses.length, DRAFT_LIMITS.analyses],
    ['action_plan', draft.action_plan.length, DRAFT_LIMITS.items],
    ['recommendations', draft.recommendations.length, DRAFT_LIMITS.items],
    ['limitations', draft.limitations.length, DRAFT_LIMITS.items],
    ['missing_context', draft.missing_context.length, DRAFT_LIMITS.items],
    ...draft.analyses.map(
      ({ tool_call_ids }, index) =>
        [`analyses.${index}.tool_call_ids`, tool_call_ids.length, DRAFT_LIMITS.references] as const,
    ),
    ...statements.map(
      ({ path, statement }) =>
        [`${path}.analysis_ids`, statement.analysis_ids.length, DRAFT_LIMITS.references] as const,
    ),
    ['analyses', citations(draft), DRAFT_LIMITS.citations],
  ];
  return sizes
    .filter(([, size, limit]) => size > limit)
    .map(([path, size, limit]) => violation('TOO_MANY', path, `${size} are too many: at most ${limit}`));
}

function citations(draft: Draft): number {
  return draft.analyses.reduce((sum, { tool_call_ids }) => sum + tool_call_ids.length, 0);
}

/** @param draft within {@link DRAFT_LIMITS}. */
export function checkStructure(draft: Draft, runIds: readonly string[]): Violation[] {
  return [...checkAnalyses(draft), ...checkStatements(draft), ...checkLeakedIds(draft, runIds)];
}

export function isAnalysisKind(kind: string): kind is AnalysisKind {
  return (ANALYSIS_KINDS as readonly string[]).includes(kind);
}

/** EG-1. */
function checkAnalyses(draft: Draft): Violation[] {
  const found: Violation[] = [];
  if (draft.analyses.length === 0)
    found.push(violation('NO_ANALYSES', 'analyses', 'a conclusion needs at least one analysis'));
  const seen = new Set<string>();
  draft.analyses.forEach((analysis, index) => {
    const path = `analyses.${index}`;
    const id = analysis.analysis_id;
    if (isBlank(id))
      found.push(violation('ANALYSIS_ID_BLANK', `${path}.analysis_id`, 'an analysis_id is not blank'));
    else if (seen.has(visibleForm(id)))
      found.push(violation('ANALYSIS_ID_DUPLICATE', `${path}.analysis_id`, 'an analysis_id stands once'));
    seen.add(visibleForm(id));
    if (!isAnalysisKind(analysis.kind))
      found.push(
        violation('ANALYSIS_KIND_UNKNOWN', `${path}.kind`, `a kind is ${ANALYSIS_KINDS.join(' or ')}`),
      );
    if (isBlank(analysis.text))
      found.push(violation('TEXT_BLANK', `${path}.text`, 'an analysis says something'));
    if (analysis.tool_call_ids.length === 0)
      found.push(
        violation('TOOL_CALL_IDS_EMPTY', `${path}.tool_call_ids`, 'an analysis cites at least one call'),
      );
  });
  return found;
}

/** EG-2. */
function checkStatements(draft: Draft): Violation[] {
  const known = new Set(draft.analyses.map((analysis) => analysis.analysis_id));
  const found: Violation[] = [];
  const check = (path: string, statement: { text: string; analysis_ids: string[] }): void => {
    if (isBlank(statement.text))
      found.push(violation('TEXT_BLANK', `${path}.text`, 'a statement says something'));
    if (statement.analysis_ids.length === 0)
      found.push(
        violation(
          'ANALYSIS_IDS_EMPTY',
          `${path}.analysis_ids`,
          'a statement refers to at least one analysis',
        ),
      );
    statement.analysis_ids.forEach((id, index) => {
      if (!known.has(id) || isBlank(id))
        found.push(
          violation('ANALYSIS_ID_UNKNOWN', `${path}.analysis_ids.${index}`, 'there is no such analysis'),
        );
    });
  };
  if (draft.conclusion === null)
    found.push(violation('NO_CONCLUSION', 'conclusion', 'only a Draft with a conclusion is checked here'));
  else check('conclusion', draft.conclusion);
  draft.action_plan.forEach((action, index) => {
    check(`action_plan.${index}`, action);
  });
  draft.recommendations.forEach((recommendation, index) => {
    check(`recommendations.${index}`, recommendation);
  });
  return found;
}
