/** A small report that its evidence carries, word for word: what the mutations of the tests are made from. */
import type { SemanticPayload, SnapshotEvidence } from '../../../src/shared/domain/prompts/payloads.js';

const WINDOW = { from: '2024-05-06T10:00:00.000Z', to: '2024-05-06T11:00:00.000Z' };

export function logEvidence(changes: Partial<SnapshotEvidence> = {}): SnapshotEvidence {
  return {
    tool: 'log_search',
    evidence_status: 'EVIDENCE_FOUND',
    scope: {
      window: WINDOW,
      query: '"refused"',
      service: 'cart',
      level: 'WARN',
      limit: 12,
      group_by: 'ip',
      assumptions: [],
    },
    result: { matched: 37, truncated: true },
    items: [
      {
        source: 'groups by ip',
        timestamp: '2024-05-06T11:00:06.000Z',
        excerpt: '{"count":21,"key":"10.0.0.7"}',
      },
      {
        source: 'groups by ip',
        timestamp: '2024-05-06T11:00:06.000Z',
        excerpt: '{"count":16,"key":"10.0.0.9"}',
      },
      entry(
        '2024-05-06T10:12:00.000Z',
        'cart.log:40',
        'ERROR cart: stock refused after 1500 ms from 10.0.0.7',
      ),
      entry(
        '2024-05-06T10:30:00.000Z',
        'cart.log:80',
        'ERROR cart: stock refused after 900 ms from 10.0.0.9',
      ),
      entry(
        '2024-05-06T10:50:00.000Z',
        'cart.log:99',
        'ERROR cart: stock refused after 1700 ms from 10.0.0.7',
      ),
    ],
    ...changes,
  };
}

export function entry(timestamp: string, source: string, excerpt: string): SnapshotEvidence['items'][number] {
  return { timestamp, source, excerpt };
}

const CHANGE: SnapshotEvidence = {
  tool: 'mysql_query',
  evidence_status: 'EVIDENCE_FOUND',
  scope: {
    database: 'store',
    sql: 'SELECT `name`, `applied_at` FROM `migrations` ORDER BY `applied_at` DESC LIMIT 20',
    limit: 20,
    assumptions: [],
  },
  result: { row_count: 2, truncated: false },
  items: [
    entry(
      '2024-05-06T11:00:06.000Z',
      'store',
      '{"name":"drop_stock_index","applied_at":"2024-05-06T10:10:00.000Z"}',
    ),
    entry(
      '2024-05-06T11:00:06.000Z',
      'store',
      '{"name":"add_coupons","applied_at":"2024-04-01T08:00:00.000Z"}',
    ),
  ],
};

const NOTHING: SnapshotEvidence = {
  tool: 'log_search',
  evidence_status: 'NO_EVIDENCE',
  scope: {
    window: WINDOW,
    query: null,
    service: 'stock',
    level: 'ERROR',
    limit: 20,
    group_by: null,
    assumptions: [],
  },
  result: { matched: 0, truncated: false },
  items: [],
};

/** A report that its evidence carries, word for word. */
export function report(): SemanticPayload {
  return {
    query: 'Why does the cart fail?',
    draft: {
      conclusion: {
        text: 'The evidence points to the recorded change "drop_stock_index" at 2024-05-06T10:10:00.000Z. After it, cart logged "stock refused after 1500 ms" from 2024-05-06T10:12:00.000Z on. Most by ip: 10.0.0.7 (21). They do not prove the cause.',
        analysis_ids: ['A1', 'A2'],
      },
      analyses: [
        {
          analysis_id: 'A1',
          kind: 'NORMAL',
          text: 'cart logged "stock refused after 1500 ms"; 37 entries match; the earliest shown is at 2024-05-06T10:12:00.000Z; the latest shown is at 2024-05-06T10:50:00.000Z. By ip: 10.0.0.7 (21); 10.0.0.9 (16).',
        },
        {
          analysis_id: 'A2',
          kind: 'NORMAL',
          text: 'Table migrations records "drop_stock_index" at 2024-05-06T10:10:00.000Z.',
        },
        {
          analysis_id: 'A3',
          kind: 'NEGATIVE_OBSERVATION',
          text: 'The search of the log of stock at level ERROR and above from 2024-05-06T10:00:00.000Z to 2024-05-06T11:00:00.000Z found no entry.',
        },
      ],
      action_plan: [
        {
          text: 'Review the change "drop_stock_index" with its owner.',
          analysis_ids: ['A2'],
          requires_human_confirmation: true,
        },
      ],
      recommendations: [],
      limitations: ['Some results were truncated.'],
    },
    evidence: {
      analyses: [
        { analysis_id: 'A1', kind: 'NORMAL', evidence: [logEvidence()] },
        { analysis_id: 'A2', kind: 'NORMAL', evidence: [CHANGE] },
        { analysis_id: 'A3', kind: 'NEGATIVE_OBSERVATION', evidence: [NOTHING] },
      ],
    },
  };
}
