/** {@link RunStore} on MySQL: guarded statements whose WHERE excludes the done state, one per write. */
import type { RunStatus } from '../../domain/contracts/run.js';
import { claimableFrom } from '../../domain/run/transitions.js';
import type {
  Claimed,
  EngineRun,
  Fence,
  Finalization,
  RoundCommit,
  RunStore,
  StepRecord,
  StopReason,
  WriteOutcome,
} from '../../ports/run-store.js';
import type { Database, Sql, SqlValue, WriteResult } from './database.js';
import { isDuplicate } from './mysql-errors.js';
import { toEngineRun, toInvocation, toStep, type InvocationRow, type RunRow, type StepRow } from './rows.js';
import { claimInvocation, closeOpenInvocations, endInvocation } from './invocation-writes.js';
import { insertInvocations, insertStep } from './run-inserts.js';

/** The fence of every durable write: the caller's epoch, not final, no cancel request. */
const FENCED = 'run_id = ? AND epoch = ? AND release_outcome IS NULL AND cancel_requested_at IS NULL';

const statusIn = (to: RunStatus): string =>
  `status IN (${claimableFrom(to)
    .map((status) => `'${status}'`)
    .join(', ')})`;

const CLAIMS = {
  diagnose: { to: 'RUNNING', where: `cancel_requested_at IS NULL AND ${statusIn('RUNNING')}` },
  review: { to: 'REVIEWING', where: `cancel_requested_at IS NULL AND ${statusIn('REVIEWING')}` },
  cancel: { to: null, where: 'cancel_requested_at IS NOT NULL' },
} as const;

export function createRunStore(database: Database): RunStore {
  return {
    claim: (runId, purpose, attempt, at) => claim(database, runId, purpose, attempt, at),
    load: (runId) => load(database, runId),
    steps: async (runId) =>
      (await database.query<StepRow[]>('SELECT * FROM agent_step WHERE run_id = ? ORDER BY id', [runId])).map(
        toStep,
      ),
    invocations: async (runId) =>
      (
        await database.query<InvocationRow[]>(
          'SELECT * FROM tool_invocation WHERE run_id = ? ORDER BY call_no',
          [runId],
        )
      ).map(toInvocation),

    saveContext: (fence, context) => update(database, fence, 'context = ?', [JSON.stringify(context)]),
    reserveModelCall: (fence) => update(database, fence, 'model_calls = model_calls + 1', []),
    recordStop: (fence, reason: StopReason) => update(database, fence, 'stop_reason = ?', [reason]),
    abandonGuardSteps: async (fence, at) => {
      await database.query(
        `UPDATE agent_step s JOIN diagnosis_run r ON r.run_id = s.run_id
         SET s.state = 'FAILED', s.outcome = 'LOST', s.finished_at = ?
         WHERE s.run_id = ? AND s.state = 'STARTED' AND r.epoch = ? AND r.release_outcome IS NULL`,
        [at, fence.runId, fence.epoch],
      );
    },
    beginGuardStep: (fence, step) => beginGuardStep(database, fence, step),
    endGuardStep: (fence, step, tokens, models) => endGuardStep(database, fence, step, tokens, models),
    commitRound: (fence, commit) => commitRound(database, fence, commit),

    claimInvocation: (runId, call, at) => claimInvocation(database, runId, call, at),
    endInvocation: (runId, call, taken, end) => endInvocation(database, runId, call, taken, end),
    closeOpenInvocations: (fence, code, at) => closeOpenInvocations(database, fence, code, at),

    finalize: (fence, end) => finalize(database, fence, end),
    recordFrameCount: async (runId, count) => {
      await database.query(
        'UPDATE diagnosis_run SET frame_count = ? WHERE run_id = ? AND frame_count IS NULL',
        [count, runId],
      );
    },
    raiseFrameSeq: async (runId, seq) => {
      await database.query('UPDATE diagnosis_run SET frame_seq = ? WHERE run_id = ? AND frame_seq < ?', [
        seq,
        runId,
        seq,
      ]);
    },
  };
}

async function row(sql: Sql, runId: string): Promise<RunRow | undefined> {
  return (await sql.query<RunRow[]>('SELECT * FROM diagnosis_run WHERE run_id = ?', [runId]))[0];
}

async function load(sql: Sql, runId: string): Promise<EngineRun | null> {
  const found = await row(sql, runId);
  return found === undefined ? null : toEngineRun(found);
}

async function claim(
  database: Database,
  runId: string,
  purpose: keyof typeof CLAIMS,
  attempt: number | null,
  at: Date,
): Promise<Claimed> {
  const { to, where } = CLAIMS[purpose];
  // A Run that is cancelled in the queue has not begun.
  const begun =
    to === null
      ? ''
      : ', started_at = COALESCE(started_at, ?), frame_seq = frame_seq + IF(status = ?, 0, 1), status = ?';
  const result = await database.query<WriteResult>(
    `UPDATE diagnosis_run SET epoch = LAST_INSERT_ID(epoch + 1)${begun}
     WHERE run_id = ? AND release_outcome IS NULL AND attempt = COALESCE(?, attempt) AND ${where}`,
    [...(to === null ? [] : [at, to, to]), runId, attempt],
  );
  const found = await load(database, runId);
  if (found === null) return { ok: false, reason: 'unknown' };
  if (result.affectedRows === 0) {
    if (found.releaseOutcome !== null) return { ok: false, reason: 'final' };
    return { ok: false, reason: found.cancelRequestedAt === null ? 'elsewhere' : 'cancelled' };
  }
  if (found.epoch !== result.insertId) return { ok: false, reason: 'elsewhere' };
  return { ok: true, run: found };
}

/** Why a fenced write changed nothing. */
async function whyNot(sql: Sql, fence: Fence): Promise<'cancelled' | 'lost'> {
  const found = await row(sql, fence.runId);
  const cancelled =
    found !== undefined &&
    found.release_outcome === null &&
    found.epoch === fence.epoch &&
    found.cancel_requested_at !== null;
  return cancelled ? 'cancelled' : 'lost';
}

async function update(
  sql: Sql,
  fence: Fence,
  set: string,
  values: readonly SqlValue[],
): Promise<WriteOutcome> {
  const result = await sql.query<WriteResult>(`UPDATE diagnosis_run SET ${set} WHERE ${FENCED}`, [
    ...values,
    fence.runId,
    fence.epoch,
  ]);
  return result.affectedRows === 1 ? 'written' : whyNot(sql, fence);
}

async function beginGuardStep(
  database: Database,
  fence: Fence,
  step: StepRecord,
): Promise<WriteOutcome | 'exists'> {
  try {
    return await database.transaction(async (sql) => {
      const outcome = await update(sql, fence, 'model_calls = model_calls + 1', []);
      if (outcome === 'written') await insertStep(sql, fence.runId, step);
      return outcome;
    });
  } catch (error) {
    if (isDuplicate(error)) return 'exists';
    throw error;
  }
}

async function endGuardStep(
  database: Database,
  fence: Fence,
  step: StepRecord,
  tokens: number,
  models: readonly string[] | undefined,
): Promise<WriteOutcome> {
  return database.transaction(async (sql) => {
    const outcome = await update(
      sql,
      fence,
      'tokens = tokens + ?, models = COALESCE(?, models), frame_seq = frame_seq + 1',
      [tokens, models === undefined ? null : JSON.stringify(models)],
    );
    const ended = await sql.query<WriteResult>(
      `UPDATE agent_step SET state = ?, outcome = ?, model = ?, prompt_tokens = ?, completion_tokens = ?,
       duration_ms = ?, output = ?, finished_at = ? WHERE run_id = ? AND stage = ? AND round = ? AND state = 'STARTED'`,
      [
        outcome === 'written' ? step.state : 'FAILED',
        outcome === 'written' ? step.outcome : 'DISCARDED',
        step.model?.slice(0, 128) ?? null,
        step.promptTokens,
        step.completionTokens,
        step.durationMs,
        outcome === 'written' ? step.output : null,
        step.finishedAt,
        fence.runId,
        step.stage,
        step.round,
      ],
    );
    return ended.affectedRows === 0 && outcome === 'written' ? 'lost' : outcome;
  });
}

async function commitRound(database: Database, fence: Fence, commit: RoundCommit): Promise<WriteOutcome> {
  try {
    return await database.transaction((sql) => writeRound(sql, fence, commit));
  } catch (error) {
    // Under one epoch a round is committed by one worker alone: a step that stands is this one.
    if (isDuplicate(error) && (await hasStep(database, fence.runId, commit.step))) return 'written';
    throw error;
  }
}

async function hasStep(sql: Sql, runId: string, step: StepRecord): Promise<boolean> {
  const rows = await sql.query<unknown[]>(
    'SELECT 1 FROM agent_step WHERE run_id = ? AND stage = ? AND round = ?',
    [runId, step.stage, step.round],
  );
  return rows.length > 0;
}

async function writeRound(sql: Sql, fence: Fence, commit: RoundCommit): Promise<WriteOutcome> {
  const outcome = await update(
    sql,
    fence,
    `rounds = rounds + ?, tool_calls = tool_calls + ?, tokens = tokens + ?, frame_seq = frame_seq + ?,
     intent = COALESCE(?, intent), models = COALESCE(?, models)`,
    [
      commit.step.stage === 'router' ? 0 : 1,
      commit.invocations.length,
      commit.tokens,
      commit.frames,
      commit.intent ?? null,
      commit.models === undefined ? null : JSON.stringify(commit.models),
    ],
  );
  if (outcome !== 'written') return outcome;
  await insertStep(sql, fence.runId, commit.step);
  await insertInvocations(sql, fence.runId, commit.invocations);
  return outcome;
}

async function finalize(database: Database, fence: Fence, end: Finalization): Promise<WriteOutcome> {
  const result = await database.query<WriteResult>(
    `UPDATE diagnosis_run SET status = ?, release_outcome = ?, error_code = ?, public_result = ?, published_result = ?,
       coverage = ?, finished_at = ?, frame_seq = frame_seq + 2
     WHERE run_id = ? AND epoch = ? AND release_outcome IS NULL AND (cancel_requested_at IS NULL OR ? = 'CANCELLED')`,
    [
      end.status,
      end.outcome,
      end.errorCode,
      JSON.stringify(end.publicResult),
      end.publishedResult === null ? null : JSON.stringify(end.publishedResult),
      JSON.stringify(end.coverage),
      end.finishedAt,
      fence.runId,
      fence.epoch,
      end.outcome,
    ],
  );
  return result.affectedRows === 1 ? 'written' : whyNot(database, fence);
}
