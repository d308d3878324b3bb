/** A published report for a terminal: each analysis with its evidence under it, whole in count, clipped on screen only. */
import type { EvidenceItem, Report } from '../../shared/domain/contracts/report.js';
import { evidenceChecks, type ShownCheck } from './evidence-checks.js';
import { excerptText } from './excerpt-text.js';
import { clip, clipLines, indented, wrap } from './layout.js';
import { cleanLine } from './plain-text.js';
import { item, items, references, section } from './sections.js';
import { scopeText, timeText } from './scope-text.js';
import type { View } from './palette.js';

const RECORDS_PER_CHECK = 3;
const EXCERPT_LINES = 2;
const SCOPE_LINES = 2;
const BAR = '    │ ';

type Analysis = Report['analyses'][number];

export function renderReport(report: Report, view: View): string[] {
  const { palette } = view;
  const { conclusion } = report;
  const named = (text: string, ids: readonly string[]): string => `${text}${references(ids)}`;
  return [
    ...section(
      'Conclusion',
      item('', named(conclusion.text, conclusion.analysis_ids), view, palette.bold),
      view,
    ),
    ...section(
      'What the evidence says',
      report.analyses.flatMap((one) => analysisLines(one, view)).slice(1),
      view,
    ),
    ...section(
      'Action plan',
      report.action_plan.flatMap((action, index) => [
        ...item(`${index + 1}. `, named(action.text, action.analysis_ids), view),
        ...(action.requires_human_confirmation
          ? item('   ', 'A person must confirm this first.', view, palette.warning)
          : []),
      ]),
      view,
    ),
    ...section(
      'Recommendations',
      items(
        report.recommendations.map((one) => named(one.text, one.analysis_ids)),
        view,
      ),
      view,
    ),
    ...section('Limitations', items(report.limitations, view), view),
  ];
}

/** Begins with a blank line. */
function analysisLines(analysis: Analysis, view: View): string[] {
  const { palette } = view;
  const id = cleanLine(analysis.analysis_id);
  const checks = evidenceChecks(analysis.text, analysis.evidence, RECORDS_PER_CHECK);
  return [
    '',
    ...item(`${clip(id, 12)}  `, analysis.text, view),
    ...kindLines(analysis.kind, view),
    ...checks.flatMap((check) => checkLines(check, view)),
    ...(checks.length === 0 ? [`${BAR}${palette.bad('no evidence is attached')}`] : []),
  ];
}

/** IV-5: what an empty search shows, and what it does not. */
function kindLines(kind: Analysis['kind'], view: View): string[] {
  switch (kind) {
    case 'NORMAL':
      return [];
    case 'NEGATIVE_OBSERVATION':
      return indented(
        wrap('nothing was found in this scope; that proves no absence', view.width - BAR.length).map((line) =>
          view.palette.warning(line),
        ),
        view.palette.dim(BAR),
      );
  }
}

function checkLines(check: ShownCheck, view: View): string[] {
  const { palette } = view;
  const scope = scopeText(check.scope);
  const head = `${cleanLine(check.tool)}${scope === '' ? '' : ` · ${scope}`}`;
  const room = view.width - BAR.length;
  const lines = [
    ...clipLines(head, room, SCOPE_LINES),
    ...(check.facts === null ? [] : [clip(`→ ${check.facts}`, room)]),
  ];
  return [
    ...indented(
      lines.map((line) => palette.accent(line)),
      palette.dim(BAR),
    ),
    ...check.picked.flatMap((record, index) => recordLines(record, check.picked[index - 1], view)),
    ...(check.more > 0
      ? [
          `${palette.dim(BAR)}  ${palette.dim(`and ${check.more} more ${check.more === 1 ? 'record' : 'records'}`)}`,
        ]
      : []),
  ];
}

/** Records that follow each other from one place at one time have it said once. */
function recordLines(record: EvidenceItem, before: EvidenceItem | undefined, view: View): string[] {
  const { palette } = view;
  const room = view.width - BAR.length - 2;
  const place = placeText(record);
  const heading = before !== undefined && placeText(before) === place ? [] : [palette.dim(clip(place, room))];
  return [
    ...indented(heading, `${palette.dim(BAR)}  `),
    ...indented(clipLines(excerptText(record), room - 2, EXCERPT_LINES), `${palette.dim(BAR)}    `),
  ];
}

function placeText({ source, timestamp }: EvidenceItem): string {
  return `${cleanLine(source)} · ${timeText(timestamp)}`;
}
