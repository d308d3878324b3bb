/** Finished Runs for the rendering tests, each valid by the wire's schema. */
import type { EvidenceItem } from '../../src/shared/domain/contracts/report.js';
import { RunView } from '../../src/shared/domain/contracts/run.js';

export const WINDOW = { from: '2026-03-04T05:00:00.000Z', to: '2026-03-04T06:00:00.000Z' };

export const LOG_SCOPE = {
  window: WINDOW,
  query: '"slow query"',
  service: 'orders',
  level: 'WARN',
  limit: 50,
  group_by: null,
  assumptions: [],
};

export function logRecord(line: number, message: string): EvidenceItem {
  return {
    tool: 'log_search',
    source: `orders.log:${line}`,
    scope: LOG_SCOPE,
    timestamp: `2026-03-04T05:${String(line % 60).padStart(2, '0')}:07.250Z`,
    excerpt: `WARN orders: ${message}`,
  };
}

export function resultItem(scope: EvidenceItem['scope'], facts: object, tool = 'log_search'): EvidenceItem {
  return {
    tool,
    source: 'result',
    scope,
    timestamp: '2026-03-04T06:00:01.000Z',
    excerpt: JSON.stringify(facts),
  };
}

export function runView(parts: Partial<RunView>): RunView {
  return RunView.parse({
    runId: 'run-01890000-0000-7000-8000-000000000001',
    sessionId: 'ses-01890000-0000-7000-8000-000000000002',
    intent: 'DIAGNOSIS',
    status: 'COMPLETED',
    releaseOutcome: 'SUCCESS',
    query: 'Why is checkout slow?',
    window: WINDOW,
    createdAt: '2026-03-04T06:00:00.000Z',
    startedAt: '2026-03-04T06:00:00.100Z',
    finishedAt: '2026-03-04T06:00:02.400Z',
    cancelRequestedAt: null,
    models: ['sworn-offline-analyst'],
    coverage: [],
    ...parts,
  });
}

export const REPORT: NonNullable<RunView['report']> = {
  conclusion: { text: 'The slow reads on orders began after the migration.', analysis_ids: ['A1', 'A2'] },
  analyses: [
    {
      analysis_id: 'A1',
      kind: 'NORMAL',
      text: 'The read took 4213 ms at 05:41:07.',
      evidence: [
        resultItem(LOG_SCOPE, { matched: 408, truncated: true }),
        ...Array.from({ length: 9 }, (_, index) =>
          logRecord(index + 1, `slow query ${1000 + index} ms on orders`),
        ),
        logRecord(41, 'slow query 4213 ms on orders'),
      ],
    },
    {
      analysis_id: 'A2',
      kind: 'NEGATIVE_OBSERVATION',
      text: 'No entry of payments at ERROR names orders.',
      evidence: [
        resultItem({ ...LOG_SCOPE, service: 'payments', level: 'ERROR' }, { matched: 0, truncated: false }),
      ],
    },
  ],
  action_plan: [
    { text: 'Create the index again.', analysis_ids: ['A1'], requires_human_confirmation: true },
    { text: 'Watch the query time.', analysis_ids: ['A1'], requires_human_confirmation: false },
  ],
  recommendations: [{ text: 'Make an index invisible for a week first.', analysis_ids: ['A1'] }],
  limitations: ['Only the last hour was read.'],
};
