/** Inserts of a Run's steps and invocations; both take their session from the Run's row. */
import type { InvocationRecord, StepRecord } from '../../ports/run-store.js';
import type { Sql, SqlValue } from './database.js';

const STEP_COLUMNS =
  'stage, round, state, outcome, attempts, model, prompt_tokens, completion_tokens, duration_ms, input_hash, input_bytes, output, refusals, started_at, finished_at';

export async function insertStep(sql: Sql, runId: string, step: StepRecord): Promise<void> {
  const values: SqlValue[] = [
    step.stage,
    step.round,
    step.state,
    step.outcome,
    step.attempts,
    step.model?.slice(0, 128) ?? null,
    step.promptTokens,
    step.completionTokens,
    step.durationMs,
    step.inputHash,
    step.inputBytes,
    step.output,
    step.refusals.length === 0 ? null : JSON.stringify(step.refusals),
    step.startedAt,
    step.finishedAt,
  ];
  await sql.query(
    `INSERT INTO agent_step (run_id, session_id, ${STEP_COLUMNS})
     SELECT run_id, session_id, ${values.map(() => '?').join(', ')} FROM diagnosis_run WHERE run_id = ?`,
    [...values, runId],
  );
}

const INVOCATION_COLUMNS =
  'round, call_no, tool_call_id, tool, arguments, repeats_call, status, evidence_status, error_code, error_message, scope, agent_result, content_hash, result_bytes, matched, started_at, finished_at, duration_ms';

export async function insertInvocations(
  sql: Sql,
  runId: string,
  records: readonly InvocationRecord[],
): Promise<void> {
  if (records.length === 0) return;
  const rows = records.map((record): SqlValue[] => [
    record.round,
    record.call,
    record.toolCallId,
    record.tool,
    record.arguments,
    record.repeatsCall,
    record.status,
    record.evidenceStatus,
    record.errorCode,
    record.errorMessage,
    record.scope,
    record.agentResult,
    record.contentHash,
    record.resultBytes,
    record.matched,
    record.startedAt,
    record.finishedAt,
    record.finishedAt === null || record.startedAt === null
      ? null
      : record.finishedAt.getTime() - record.startedAt.getTime(),
  ]);
  const selects = rows.map(
    (row) =>
      `SELECT run_id, session_id, ${row.map(() => '?').join(', ')} FROM diagnosis_run WHERE run_id = ?`,
  );
  await sql.query(
    `INSERT INTO tool_invocation (run_id, session_id, ${INVOCATION_COLUMNS}) ${selects.join(' UNION ALL ')}`,
    rows.flatMap((row) => [...row, runId]),
  );
}
