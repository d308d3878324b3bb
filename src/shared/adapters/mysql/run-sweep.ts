/** {@link RunSweep} on MySQL. */
import { RunStatus } from '../../domain/contracts/run.js';
import type { RunSweep } from '../../ports/run-store.js';
import type { Database, WriteResult } from './database.js';

interface OpenRow {
  run_id: string;
  attempt: number;
  status: string;
  created_at: Date;
  started_at: Date | null;
  cancel_requested_at: Date | null;
}

export function createRunSweep(database: Database): RunSweep {
  return {
    unfinished: async (before, after, limit) => {
      const behind = after === null ? '' : 'AND (created_at, run_id) > (?, ?)';
      const rows = await database.query<OpenRow[]>(
        `SELECT run_id, attempt, status, created_at, started_at, cancel_requested_at FROM diagnosis_run
         WHERE frame_count IS NULL AND release_outcome IS NULL AND created_at < ? ${behind}
         ORDER BY created_at, run_id LIMIT ?`,
        [before, ...(after === null ? [] : [after.createdAt, after.runId]), limit],
      );
      return rows.map((row) => ({
        runId: row.run_id,
        attempt: row.attempt,
        status: RunStatus.parse(row.status),
        createdAt: row.created_at,
        startedAt: row.started_at,
        cancelRequestedAt: row.cancel_requested_at,
      }));
    },
    unpublished: async (before, limit) => {
      const rows = await database.query<{ run_id: string }[]>(
        `SELECT run_id FROM diagnosis_run
         WHERE frame_count IS NULL AND release_outcome IS NOT NULL AND finished_at < ? ORDER BY created_at LIMIT ?`,
        [before, limit],
      );
      return rows.map((row) => row.run_id);
    },
    nextAttempt: async (runId, attempt) => {
      const result = await database.query<WriteResult>(
        'UPDATE diagnosis_run SET attempt = attempt + 1 WHERE run_id = ? AND attempt = ? AND release_outcome IS NULL',
        [runId, attempt],
      );
      return result.affectedRows > 0 ? attempt + 1 : null;
    },
  };
}
