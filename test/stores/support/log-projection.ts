/** A log search's projection. */
import type { LogSearchProjection } from '../../../src/shared/domain/contracts/tools/log-search.js';
import { WINDOW } from '../../run/incident.js';

/** What the log tool would have answered, with a count of its own. */
export function projectionOf(toolCallId: string, matched: number): LogSearchProjection {
  return {
    tool: 'log_search',
    tool_call_id: toolCallId,
    evidence_status: 'EVIDENCE_FOUND',
    scope: {
      window: WINDOW,
      query: 'timeout',
      service: null,
      level: null,
      limit: 50,
      group_by: null,
      assumptions: [],
    },
    matched,
    truncated: true,
    entries: [
      {
        timestamp: '2026-11-30T10:10:00.000Z',
        service: 'checkout',
        level: 'ERROR',
        message: 'timeout calling orders',
        source: 'checkout.log:2',
      },
    ],
  };
}
