/** A finished Run for a terminal: question, outcome, what it published, coverage, and which model wrote it. */
import type { ReleaseOutcome, RunView } from '../../shared/domain/contracts/run.js';
import { wrap } from './layout.js';
import { cleanLine, cleanText } from './plain-text.js';
import { renderFallback, renderKnowledge } from './render-answer.js';
import { renderCoverage } from './render-coverage.js';
import { renderReport } from './render-report.js';
import { item, section } from './sections.js';
import { windowText } from './scope-text.js';
import type { View } from './palette.js';

/** The built-in model's name: where its words are shown, it is said that no language model wrote them. */
export const OFFLINE_MODEL = 'sworn-offline-analyst';

/** Text with line ends; every line is at most `view.width` columns wide. */
export function renderRun(run: RunView, view: View): string {
  const { palette } = view;
  return `${[
    palette.dim('─'.repeat(view.width)),
    ...wrap(cleanText(run.query), view.width).map((line) => palette.bold(line)),
    ...wrap(outcomeText(run), view.width).map((line) => outcomePaint(run, view)(line)),
    ...wrap(factsText(run), view.width).map((line) => palette.dim(line)),
    ...wrap(modelText(run), view.width).map((line) => palette.dim(line)),
    ...resultLines(run, view),
    ...(run.intent === 'OUT_OF_SCOPE' ? [] : renderCoverage(run.coverage, view)),
  ].join('\n')}\n`;
}

function resultLines(run: RunView, view: View): string[] {
  return [
    ...(run.report === undefined ? [] : renderReport(run.report, view)),
    ...(run.knowledge === undefined ? [] : renderKnowledge(run.knowledge, view)),
    ...(run.fallback === undefined ? [] : renderFallback(run.fallback, view)),
    ...(run.error === undefined
      ? []
      : section(
          `The Run failed (${run.error.code})`,
          item('', run.error.message, view, view.palette.bad),
          view,
        )),
  ];
}

function outcomeText(run: RunView): string {
  const { releaseOutcome } = run;
  if (releaseOutcome === null) return `${run.status}: the Run has not ended yet`;
  switch (releaseOutcome) {
    case 'SUCCESS':
      return run.knowledge === undefined
        ? 'SUCCESS: every sentence below passed both guards'
        : 'SUCCESS: every item below is bound to a document';
    case 'FALLBACK':
      return 'FALLBACK: no conclusion passed, so none is shown';
    case 'FAILED':
      return 'FAILED: the Run could not be carried out';
    case 'CANCELLED':
      return 'CANCELLED: the Run was stopped, so nothing is published';
  }
}

function outcomePaint(run: RunView, view: View): (text: string) => string {
  const paints: Readonly<Record<ReleaseOutcome, (text: string) => string>> = {
    SUCCESS: view.palette.good,
    FALLBACK: view.palette.warning,
    FAILED: view.palette.bad,
    CANCELLED: view.palette.warning,
  };
  return run.releaseOutcome === null ? view.palette.dim : paints[run.releaseOutcome];
}

function factsText(run: RunView): string {
  const parts = [`window ${windowText(run.window)}`, secondsText(run), cleanLine(run.runId)];
  return parts.filter((part) => part !== '').join(' · ');
}

/** From the Run's creation to its end; empty while it goes. */
function secondsText(run: RunView): string {
  if (run.finishedAt === null) return '';
  const ms = Date.parse(run.finishedAt) - Date.parse(run.createdAt);
  return Number.isFinite(ms) && ms >= 0 ? `${(ms / 1000).toFixed(1)} s` : '';
}

/** Only a report and an answer are a model's words. */
function modelText({ models, report, knowledge }: RunView): string {
  if (models.length === 0) return 'no model was asked';
  const names = models.map((name) =>
    name === OFFLINE_MODEL
      ? `${name} (built in, works by rules; no language model was asked)`
      : cleanLine(name),
  );
  const written = report !== undefined || knowledge !== undefined;
  return `${written ? 'written by' : 'asked was'} ${names.join(', ')}`;
}
