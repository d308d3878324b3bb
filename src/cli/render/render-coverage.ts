/** Coverage for a terminal: one line that counts the checks by how they ended, then those that did not end well. */
import type { CoverageItem } from '../../shared/domain/contracts/coverage.js';
import type { CoverageState } from '../../shared/domain/contracts/invocation.js';
import { clip } from './layout.js';
import { cleanLine } from './plain-text.js';
import { scopeText } from './scope-text.js';
import { INDENT, item, section } from './sections.js';
import type { View } from './palette.js';

const STATES: Readonly<Record<CoverageState, string>> = {
  found: 'found something',
  checked_empty: 'came back empty',
  truncated: 'cut short',
  failed: 'failed',
  denied: 'denied',
  cancelled: 'cancelled',
};
const STATE_ORDER: readonly CoverageState[] = [
  'found',
  'truncated',
  'checked_empty',
  'failed',
  'denied',
  'cancelled',
];
const MAX_LISTED = 12;

/** `7 checks: 5 found something, 1 came back empty, 1 failed; 1 looked outside the window` */
export function coverageLine(coverage: readonly CoverageItem[]): string {
  if (coverage.length === 0) return 'nothing was looked at';
  const counts = STATE_ORDER.map((state) => ({
    state,
    count: coverage.filter((one) => one.state === state).length,
  })).filter(({ count }) => count > 0);
  const outside = coverage.filter((one) => one.outsideWindow === true).length;
  const total = `${coverage.length} ${coverage.length === 1 ? 'check' : 'checks'}`;
  const states = counts.map(({ state, count }) => `${count} ${STATES[state]}`).join(', ');
  return `${total}: ${states}${outside === 0 ? '' : `; ${outside} looked outside the window`}`;
}

export function renderCoverage(coverage: readonly CoverageItem[], view: View): string[] {
  const unfinished = coverage.filter((one) => one.state !== 'found' && one.state !== 'checked_empty');
  const listed = unfinished.slice(0, MAX_LISTED).map((one) => {
    const scope = scopeText(one.scope);
    const text = `${one.state}: ${cleanLine(one.tool)}${scope === '' ? '' : ` · ${scope}`}`;
    return `${INDENT}${view.palette.warning(clip(text, view.width - INDENT.length))}`;
  });
  const more = unfinished.length - listed.length;
  return section(
    'Coverage',
    [
      ...item('', coverageLine(coverage), view),
      ...listed,
      ...(more > 0 ? [`${INDENT}and ${more} more like these`] : []),
    ],
    view,
  );
}
