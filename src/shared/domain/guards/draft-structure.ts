/** The structure that a concluded Draft owes (EG-1, EG-2), bounded so that a Draft cannot drown its reader. */
import { ANALYSIS_KINDS, type Draft } from '../contracts/draft.js';
import type { Violation, ViolationCode } from './violations.js';

const LIMITS = { analyses: 64, items: 64, references: 64 } as const;
/** A shorter tool call ID may well be an ordinary word. */
const MIN_LEAKED_ID = 6;

export function checkStructure(draft: Draft): Violation[] {
  return [...checkSizes(draft), ...checkAnalyses(draft), ...checkStatements(draft), ...checkLeakedIds(draft)];
}

const violation = (code: ViolationCode, path: string, message: string): Violation => ({
  code,
  path,
  message,
});

const blank = (text: string): boolean => text.trim() === '';

function checkSizes(draft: Draft): Violation[] {
  const found: Violation[] = [];
  const check = (path: string, size: number, limit: number): void => {
    if (size > limit) found.push(violation('TOO_MANY', path, `at most ${limit} are allowed`));
  };
  check('analyses', draft.analyses.length, LIMITS.analyses);
  check('action_plan', draft.action_plan.length, LIMITS.items);
  check('recommendations', draft.recommendations.length, LIMITS.items);
  check('limitations', draft.limitations.length, LIMITS.items);
  draft.analyses.forEach((analysis, index) => {
    check(`analyses.${index}.tool_call_ids`, analysis.tool_call_ids.length, LIMITS.references);
  });
  return found;
}

function checkAnalyses(draft: Draft): Violation[] {
  const found: Violation[] = [];
  if (draft.analyses.length === 0)
    found.push(violation('NO_ANALYSES', 'analyses', 'a conclusion needs at least one analysis'));
  const seen = new Set<string>();
  draft.analyses.forEach((analysis, index) => {
    const path = `analyses.${index}`;
    const id = analysis.analysis_id;
    if (blank(id))
      found.push(violation('ANALYSIS_ID_BLANK', `${path}.analysis_id`, 'an analysis_id is not blank'));
    else if (seen.has(id))
      found.push(violation('ANALYSIS_ID_DUPLICATE', `${path}.analysis_id`, 'an analysis_id stands once'));
    seen.add(id);
    if (!(ANALYSIS_KINDS as readonly string[]).includes(analysis.kind))
      found.push(
        violation('ANALYSIS_KIND_UNKNOWN', `${path}.kind`, `a kind is ${ANALYSIS_KINDS.join(' or ')}`),
      );
    if (blank(analysis.text))
      found.push(violation('TEXT_BLANK', `${path}.text`, 'an analysis says something'));
    if (analysis.tool_call_ids.length === 0)
      found.push(
        violation('TOOL_CALL_IDS_EMPTY', `${path}.tool_call_ids`, 'an analysis cites at least one call'),
      );
  });
  return found;
}

function checkStatements(draft: Draft): Violation[] {
  const known = new Set(draft.analyses.map((analysis) => analysis.analysis_id));
  const found: Violation[] = [];
  const check = (path: string, statement: { text: string; analysis_ids: string[] }): void => {
    if (blank(statement.text))
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
      if (!known.has(id) || blank(id))
        found.push(
          violation('ANALYSIS_ID_UNKNOWN', `${path}.analysis_ids.${index}`, 'there is no such analysis'),
        );
    });
  };
  if (draft.conclusion !== null) check('conclusion', draft.conclusion);
  draft.action_plan.forEach((action, index) => {
    check(`action_plan.${index}`, action);
  });
  draft.recommendations.forEach((recommendation, index) => {
    check(`recommendations.${index}`, recommendation);
  });
  return found;
}

/** SG-1: the visible Draft holds no tool call ID; one that the model wrote into its prose is a violation. */
function checkLeakedIds(draft: Draft): Violation[] {
  const ids = [...new Set(draft.analyses.flatMap((analysis) => analysis.tool_call_ids))].filter(
    (id) => id.length >= MIN_LEAKED_ID,
  );
  return visibleTexts(draft)
    .filter(({ text }) => ids.some((id) => standsAlone(text, id)))
    .map(({ path }) => violation('TOOL_CALL_ID_IN_TEXT', path, 'visible text does not name tool call IDs'));
}

function visibleTexts(draft: Draft): { path: string; text: string }[] {
  return [
    ...(draft.conclusion === null ? [] : [{ path: 'conclusion.text', text: draft.conclusion.text }]),
    ...draft.analyses.flatMap(({ analysis_id, text }, index) => [
      { path: `analyses.${index}.text`, text },
      { path: `analyses.${index}.analysis_id`, text: analysis_id },
    ]),
    ...draft.action_plan.map(({ text }, index) => ({ path: `action_plan.${index}.text`, text })),
    ...draft.recommendations.map(({ text }, index) => ({ path: `recommendations.${index}.text`, text })),
    ...draft.limitations.map((text, index) => ({ path: `limitations.${index}`, text })),
  ];
}

/** True when `word` stands in `text` and is not a part of a longer run of ID characters. */
function standsAlone(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const end = at + word.length;
    const before = at === 0 ? '' : text.charAt(at - 1);
    const after = /^[.:-]*(.?)/s.exec(text.slice(end))?.[1] ?? '';
    if (!isWord(before) && !isWord(after)) return true;
  }
  return false;
}

function isWord(character: string): boolean {
  return /^[A-Za-z0-9_]$/.test(character);
}
