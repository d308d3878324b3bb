/**
 * SG-1: SemanticGuard sees no tool call ID. The Draft's structure gives none away, but a model may write one into its
 * prose, and prose goes out unchanged: so that is a violation, and the Draft does not pass.
 *
 * What counts: an ID of the Run, cited or not, of 6 characters or more, standing as a whole word. Shorter ones (`c1`, `42`)
 * may be any word of a report, and so may an ID that is a tool's own name, which some endpoints send; both say nothing
 * that the snapshot does not say anyway.
 */
import type { Draft } from '../contracts/draft.js';
import { isToolName } from '../contracts/tools/catalogue.js';
import { violation, type Violation } from './violations.js';

const MIN_LENGTH = 6;

/**
 * @param draft bounded in its number of references, which bounds the work.
 * @param runIds every tool call ID of the Run; those that the Draft cites are looked for in any case.
 */
export function checkLeakedIds(draft: Draft, runIds: readonly string[]): Violation[] {
  const known = new Set([...runIds, ...draft.analyses.flatMap((analysis) => analysis.tool_call_ids)]);
  const ids = [...known].filter((id) => id.length >= MIN_LENGTH && !isToolName(id));
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

/** True when `word` stands in `text` with no letter, digit or underscore directly beside it. */
function standsAlone(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (!isWordCharacter(text[at - 1]) && !isWordCharacter(text[at + word.length])) return true;
  }
  return false;
}

function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /^[A-Za-z0-9_]$/.test(character);
}
