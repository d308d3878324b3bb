/**
 * Writes of single invocations. Tool jobs of one round run side by side, so each invocation has a claim of its own
 * beside the Run's epoch.
 */
import type { InvocationErrorCode } from '../../domain/contracts/invocation.js';
import type { Fence, InvocationClaim, InvocationEnd, RunContext } from '../../ports/run-store.js';
import type { Database, WriteResult } from './database.js';
import { toInvocation, type InvocationRow } from './rows.js';

type ClaimRow = InvocationRow & {
  run_window_from: Date;
  run_window_to: Date;
  run_started_at: Date;
  run_context: string | null;
  run_frame_seq: number;
  run_outcome: string | null;
  run_cancel: Date | null;
};

export async function claimInvocation(
  database: Database,
  runId: string,
  call: number,
  at: Date,
): Promise<InvocationClaim> {
  const result = await database.query<WriteResult>(
    `UPDATE tool_invocation i JOIN diagnosis_run r ON r.run_id = i.run_id
     SET i.claim = LAST_INSERT_ID(i.claim + 1), i.started_at = ?
     WHERE i.run_id = ? AND i.call_no = ? AND i.status = 'PROJECTING'
       AND r.release_outcome IS NULL AND r.cancel_requested_at IS NULL`,
    [at, runId, call],
  );
  const [found] = await database.query<ClaimRow[]>(
    `SELECT i.*, r.window_from AS run_window_from, r.window_to AS run_window_to, COALESCE(r.started_at, r.created_at) AS run_started_at,
       r.context AS run_context, r.frame_seq AS run_frame_seq, r.release_outcome AS run_outcome,
       r.cancel_requested_at AS run_cancel
     FROM tool_invocation i JOIN diagnosis_run r ON r.run_id = i.run_id WHERE i.run_id = ? AND i.call_no = ?`,
    [runId, call],
  );
  if (found === undefined) return { ok: false, reason: 'unknown' };
  if (result.affectedRows === 0 || found.claim !== result.insertId) {
    if (found.run_outcome !== null) return { ok: false, reason: 'final' };
    if (found.status !== 'PROJECTING' || found.run_cancel === null) return { ok: false, reason: 'done' };
    return { ok: false, reason: 'cancelled' };
  }
  return {
    ok: true,
    invocation: toInvocation(found),
    run: {
      runId,
      window: { from: found.run_window_from.toISOString(), to: found.run_window_to.toISOString() },
      startedAt: found.run_started_at,
      context: found.run_context === null ? null : (JSON.parse(found.run_context) as RunContext),
      frameSeq: found.run_frame_seq,
    },
  };
}

export async function endInvocation(
  database: Database,
  runId: string,
  call: number,
  taken: number,
  end: InvocationEnd,
): Promise<'written' | 'lost'> {
  const result = await database.query<WriteResult>(
    `UPDATE tool_invocation i JOIN diagnosis_run r ON r.run_id = i.run_id
     SET i.status = ?, i.evidence_status = ?, i.error_code = ?, i.error_message = ?, i.scope = ?, i.agent_result = ?,
       i.content_hash = ?, i.result_bytes = ?, i.matched = ?, i.finished_at = ?,
       i.duration_ms = TIMESTAMPDIFF(MICROSECOND, i.started_at, ?) DIV 1000
     WHERE i.run_id = ? AND i.call_no = ? AND i.claim = ? AND i.status = 'PROJECTING'
       AND (r.release_outcome IS NULL OR ? = 'ERROR')`,
    [
      end.status,
      end.evidenceStatus,
      end.errorCode,
      end.errorMessage,
      end.scope,
      end.agentResult,
      end.contentHash,
      end.resultBytes,
      end.matched,
      end.finishedAt,
      end.finishedAt,
      runId,
      call,
      taken,
      end.status,
    ],
  );
  return result.affectedRows > 0 ? 'written' : 'lost';
}

export async function closeOpenInvocations(
  database: Database,
  fence: Fence,
  code: InvocationErrorCode,
  at: Date,
): Promise<number[]> {
  return database.transaction(async (sql) => {
    const open = await sql.query<{ call_no: number }[]>(
      `SELECT i.call_no FROM tool_invocation i JOIN diagnosis_run r ON r.run_id = i.run_id
       WHERE i.run_id = ? AND i.status = 'PROJECTING' AND r.epoch = ? ORDER BY i.call_no FOR UPDATE`,
      [fence.runId, fence.epoch],
    );
    if (open.length === 0) return [];
    await sql.query(
      `UPDATE tool_invocation SET claim = claim + 1, status = 'ERROR', evidence_status = 'ERROR', error_code = ?,
         error_message = ?, finished_at = ?
       WHERE run_id = ? AND status = 'PROJECTING'`,
      [
        code,
        code === 'CANCELLED' ? 'The Run was cancelled.' : 'The result was lost; the call was not repeated.',
        at,
        fence.runId,
      ],
    );
    return open.map((item) => item.call_no);
  });
}
