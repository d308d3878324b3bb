/** Canonical records and Drafts as tests need them; each call makes a fresh value. */
import type { Draft } from '../../src/shared/domain/contracts/draft.js';
import type { RawRecord } from '../../src/shared/domain/guards/canonical-record.js';

export const RUN = 'run-019aa000-0000-7000-8000-000000000001';
export const OTHER_RUN = 'run-019aa000-0000-7000-8000-000000000002';
const WINDOW = { from: '2026-11-30T10:00:00.000Z', to: '2026-11-30T11:00:00.000Z' };
const FINISHED = '2026-11-30T11:00:05.000Z';

type Fields = Record<string, unknown>;

export function record(
  toolCallId: string,
  projection: Fields,
  overrides: Record<string, string> = {},
): RawRecord {
  return {
    run_id: RUN,
    tool_call_id: toolCallId,
    tool: String(projection['tool']),
    status: 'READY',
    evidence_status: String(projection['evidence_status']),
    scope: JSON.stringify(projection['scope']),
    agent_result: JSON.stringify(projection),
    started_at: '2026-11-30T11:00:04.000Z',
    finished_at: FINISHED,
    ...overrides,
  };
}

export function logProjection(toolCallId: string, overrides: Fields = {}): Fields {
  return {
    tool: 'log_search',
    tool_call_id: toolCallId,
    evidence_status: 'EVIDENCE_FOUND',
    scope: {
      window: WINDOW,
      query: 'timeout',
      service: 'checkout',
      level: 'ERROR',
      limit: 50,
      group_by: null,
      assumptions: [],
    },
    matched: 37,
    truncated: true,
    entries: [
      {
        timestamp: '2026-11-30T10:12:00.000Z',
        service: 'checkout',
        level: 'ERROR',
        message: 'timeout calling orders after 3000 ms',
        source: 'checkout.log:120',
      },
    ],
    ...overrides,
  };
}

export function emptyLogProjection(toolCallId: string): Fields {
  return logProjection(toolCallId, {
    evidence_status: 'NO_EVIDENCE',
    matched: 0,
    truncated: false,
    entries: [],
  });
}

export function sqlProjection(toolCallId: string, overrides: Fields = {}): Fields {
  return {
    tool: 'mysql_query',
    tool_call_id: toolCallId,
    evidence_status: 'EVIDENCE_FOUND',
    scope: { database: 'shop', sql: 'SELECT id, total FROM orders', limit: 50, assumptions: [] },
    columns: ['id', 'total'],
    rows: [['9007199254740993', '12.50']],
    row_count: 1,
    truncated: false,
    executed_at: '2026-11-30T11:00:04.500Z',
    ...overrides,
  };
}

export function ragProjection(toolCallId: string, overrides: Fields = {}): Fields {
  return {
    tool: 'rag_lookup',
    tool_call_id: toolCallId,
    evidence_status: 'EVIDENCE_FOUND',
    scope: { query: 'roll back a migration', top_k: 5, assumptions: [] },
    documents: [
      {
        document_id: 'db/rollback',
        title: 'Rolling back a migration',
        source: 'db/rollback.md',
        excerpt: 'Stop writers first.',
        updated_at: '2026-10-01T00:00:00.000Z',
      },
    ],
    truncated: false,
    ...overrides,
  };
}

/** Two logs (found, empty), one SQL result, one lookup. */
export function records(): Map<string, RawRecord | null> {
  return new Map([
    ['call_log', record('call_log', logProjection('call_log'))],
    ['call_empty', record('call_empty', emptyLogProjection('call_empty'))],
    ['call_sql', record('call_sql', sqlProjection('call_sql'))],
    ['call_rag', record('call_rag', ragProjection('call_rag'))],
  ]);
}

export function draft(overrides: Partial<Draft> = {}): Draft {
  return {
    conclusion: { text: 'Checkout times out while calling orders.', analysis_ids: ['A1'] },
    analyses: [
      { analysis_id: 'A1', kind: 'NORMAL', text: '37 timeouts were logged.', tool_call_ids: ['call_log'] },
      {
        analysis_id: 'A2',
        kind: 'NEGATIVE_OBSERVATION',
        text: 'No entry matched.',
        tool_call_ids: ['call_empty'],
      },
    ],
    action_plan: [{ text: 'Look at orders.', analysis_ids: ['A1'], requires_human_confirmation: true }],
    recommendations: [{ text: 'Alert on timeouts.', analysis_ids: ['A1'] }],
    limitations: ['One service was looked at.'],
    missing_context: [],
    ...overrides,
  };
}
