/** {@link RunIntake} and {@link SessionHistory} on MySQL. */
import { PublishedResult } from '../../domain/contracts/report.js';
import { Intent } from '../../domain/contracts/verdict.js';
import type { NewRun, RunIntake } from '../../ports/run-intake.js';
import type { SessionHistory } from '../../ports/run-store.js';
import type { Database, WriteResult } from './database.js';
import { jsonColumn } from './rows.js';

/** Frames of a new Run: `metadata` and `status QUEUED`. */
const FIRST_FRAMES = 2;

export function createRunIntake(database: Database): RunIntake {
  return {
    create: (run) => create(database, run),
    requestCancel: async (runId, at) => {
      const result = await database.query<WriteResult>(
        `UPDATE diagnosis_run SET cancel_requested_at = COALESCE(cancel_requested_at, ?)
         WHERE run_id = ? AND release_outcome IS NULL`,
        [at, runId],
      );
      if (result.affectedRows > 0) return 'requested';
      const rows = await database.query<unknown[]>('SELECT 1 FROM diagnosis_run WHERE run_id = ?', [runId]);
      return rows.length === 0 ? 'unknown' : 'finished';
    },
  };
}

/**
 * The session is inserted first: a locking read on a missing row would take a gap lock. One that may not be continued
 * stays as it is.
 */
async function create(database: Database, run: NewRun): Promise<'created' | 'conflict'> {
  return database.transaction(async (sql) => {
    await sql.query(
      `INSERT INTO chat_session (session_id, principal, visibility, created_at, last_run_at) VALUES (?, ?, ?, ?, ?)
       ON DUPLICATE KEY UPDATE last_run_at = IF(visibility = 'shared' OR BINARY principal = BINARY VALUES(principal),
         GREATEST(last_run_at, VALUES(last_run_at)), last_run_at)`,
      [run.sessionId, run.principal, run.visibility, run.createdAt, run.createdAt],
    );
    const [session] = await sql.query<{ principal: string; visibility: string }[]>(
      'SELECT principal, visibility FROM chat_session WHERE session_id = ?',
      [run.sessionId],
    );
    if (session === undefined) return 'conflict';
    if (session.principal !== run.principal && session.visibility !== 'shared') return 'conflict';
    await sql.query(
      `INSERT INTO diagnosis_run (run_id, session_id, query, window_from, window_to, on_disconnect, status, frame_seq,
         created_at) VALUES (?, ?, ?, ?, ?, ?, 'QUEUED', ?, ?)`,
      [
        run.runId,
        run.sessionId,
        run.query,
        new Date(run.window.from),
        new Date(run.window.to),
        run.onDisconnect,
        FIRST_FRAMES,
        run.createdAt,
      ],
    );
    return 'created';
  });
}

export function createSessionHistory(database: Database): SessionHistory {
  return {
    lastIntent: async (sessionId) => {
      const [row] = await database.query<{ intent: string | null }[]>(
        `SELECT intent FROM diagnosis_run WHERE session_id = ? AND release_outcome IS NOT NULL
         ORDER BY finished_at DESC, run_id DESC LIMIT 1`,
        [sessionId],
      );
      return Intent.nullable().parse(row?.intent ?? null);
    },
    previousTurn: async (sessionId) => {
      const [row] = await database.query<{ published_result: string }[]>(
        `SELECT published_result FROM diagnosis_run
         WHERE session_id = ? AND intent = 'DIAGNOSIS' AND release_outcome = 'SUCCESS' AND published_result IS NOT NULL
         ORDER BY finished_at DESC, run_id DESC LIMIT 1`,
        [sessionId],
      );
      return row === undefined ? null : PublishedResult.parse(jsonColumn(row.published_result));
    },
  };
}
