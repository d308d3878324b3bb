/** A knowledge answer (KQ-3) and a fallback (RP-2) for a terminal. */
import type { Fallback, KnowledgeAnswer, VerifiedSource } from '../../shared/domain/contracts/report.js';
import { item, items, section } from './sections.js';
import { cleanLine } from './plain-text.js';
import { scopeText, timeText } from './scope-text.js';
import type { View } from './palette.js';

export function renderKnowledge(knowledge: KnowledgeAnswer, view: View): string[] {
  const paragraphs = knowledge.answer.split(/\n{2,}/).filter((text) => text.trim() !== '');
  return [
    ...section(
      'Answer',
      paragraphs.flatMap((text, index) => [...(index === 0 ? [] : ['']), ...item('', text, view)]),
      view,
    ),
    ...section(
      'References',
      knowledge.references.flatMap((reference, index) =>
        item(`[${index + 1}] `, `${cleanLine(reference.title)} · ${cleanLine(reference.source)}`, view),
      ),
      view,
    ),
    ...section('Limitations', items(knowledge.limitations, view), view),
  ];
}

export function renderFallback(fallback: Fallback, view: View): string[] {
  const { palette } = view;
  return [
    ...section(
      `No conclusion is published (${fallback.type})`,
      item('', fallback.message, view, palette.warning),
      view,
    ),
    ...section('Missing context', items(fallback.missing_context, view), view),
    ...section('Checks that were completed', items(fallback.observed_facts, view), view),
    ...section('Sources that were read', items(sourceTexts(fallback.verified_sources), view), view),
  ];
}

/** Several searches may have read one file: it is named once per tool, with its newest time and how often it was read. */
function sourceTexts(sources: readonly VerifiedSource[]): string[] {
  const byPlace = new Map<string, { source: VerifiedSource; times: number }>();
  for (const source of sources) {
    const key = JSON.stringify([source.tool, source.source]);
    const known = byPlace.get(key);
    const newest = known !== undefined && known.source.timestamp >= source.timestamp ? known.source : source;
    byPlace.set(key, { source: newest, times: (known?.times ?? 0) + 1 });
  }
  return [...byPlace.values()].map(({ source, times }) => {
    const scope = times === 1 ? scopeText(source.scope) : `in ${times} checks`;
    return `${cleanLine(source.source)} · ${cleanLine(source.tool)} · ${timeText(source.timestamp)}${scope === '' ? '' : ` · ${scope}`}`;
  });
}
