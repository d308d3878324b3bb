/** {@link RunReader} on MySQL: what the outside may read of sessions, Runs and Traces. */
import type { z } from 'zod';
import { CoverageItem } from '../../domain/contracts/coverage.js';
import {
  PublicResult,
  ReleaseOutcome,
  RunErrorCode,
  RunStatus,
  type RunSummary,
} from '../../domain/contracts/run.js';
import type { TraceInvocation, TraceStep } from '../../domain/contracts/trace.js';
import { Intent } from '../../domain/contracts/verdict.js';
import { runErrorMessage } from '../../domain/release/run-errors.js';
import type { RunReader, RunRecord, SessionRow } from '../../ports/run-intake.js';
import type { InvocationRecord, StepRecord } from '../../ports/run-store.js';
import type { Database } from './database.js';
import {
  jsonColumn,
  modelsOf,
  toInvocation,
  toStep,
  windowOf,
  type InvocationRow,
  type RunRow,
  type StepRow,
} from './rows.js';

const SUMMARY_COLUMNS =
  'run_id, session_id, query, window_from, window_to, intent, status, release_outcome, models, error_code, created_at, started_at, finished_at, cancel_requested_at';

export function createRunReader(database: Database): RunReader {
  return {
    session: async (sessionId) => {
      const [found] = await database.query<{ session_id: string; principal: string; visibility: string }[]>(
        'SELECT session_id, principal, visibility FROM chat_session WHERE session_id = ?',
        [sessionId],
      );
      return found === undefined ? null : toSession(found);
    },
    run: (runId) => readRun(database, runId),
    latestRunId: async (sessionId) => {
      const [found] = await database.query<{ run_id: string }[]>(
        'SELECT run_id FROM diagnosis_run WHERE session_id = ? ORDER BY created_at DESC, run_id DESC LIMIT 1',
        [sessionId],
      );
      return found?.run_id ?? null;
    },
    runs: async (sessionId, limit, before) => {
      const rows = await database.query<RunRow[]>(
        `SELECT ${SUMMARY_COLUMNS} FROM diagnosis_run WHERE session_id = ?${before === null ? '' : ' AND run_id < ?'}
         ORDER BY run_id DESC LIMIT ?`,
        [sessionId, ...(before === null ? [] : [before]), limit],
      );
      return rows.map(toSummary);
    },
    details: (runId) => readDetails(database, runId),
    isSettled: async (runId) => {
      const [found] = await database.query<{ open: string | number }[]>(
        `SELECT (release_outcome IS NULL)
           + (SELECT COUNT(*) FROM tool_invocation i WHERE i.run_id = r.run_id AND i.status = 'PROJECTING')
           + (SELECT COUNT(*) FROM agent_step s WHERE s.run_id = r.run_id AND s.state = 'STARTED') AS open
         FROM diagnosis_run r WHERE r.run_id = ?`,
        [runId],
      );
      return found !== undefined && Number(found.open) === 0;
    },
  };
}

async function readDetails(
  database: Database,
  runId: string,
): Promise<{ steps: TraceStep[]; invocations: TraceInvocation[] }> {
  const steps = await database.query<StepRow[]>('SELECT * FROM agent_step WHERE run_id = ? ORDER BY id', [
    runId,
  ]);
  const rows = await database.query<InvocationRow[]>(
    'SELECT * FROM tool_invocation WHERE run_id = ? ORDER BY call_no',
    [runId],
  );
  const invocations = rows.map(toInvocation);
  return {
    steps: steps.map(toStep).map((step) => toTraceStep(step, invocations)),
    invocations: invocations.map(toTraceInvocation),
  };
}

function toSession(row: { session_id: string; principal: string; visibility: string }): SessionRow {
  return {
    sessionId: row.session_id,
    principal: row.principal,
    visibility: row.visibility === 'shared' ? 'shared' : 'private',
  };
}

async function readRun(database: Database, runId: string): Promise<RunRecord | null> {
  const [row] = await database.query<(RunRow & { principal: string; visibility: string })[]>(
    `SELECT r.*, s.principal, s.visibility FROM diagnosis_run r JOIN chat_session s ON s.session_id = r.session_id
     WHERE r.run_id = ?`,
    [runId],
  );
  if (row === undefined) return null;
  const result = row.public_result === null ? {} : PublicResult.parse(jsonColumn(row.public_result));
  const coverage = row.coverage === null ? [] : CoverageItem.array().parse(jsonColumn(row.coverage));
  return {
    view: { ...toSummary(row), ...result, coverage },
    session: toSession(row),
    onDisconnect: row.on_disconnect === 'cancel' ? 'cancel' : 'continue',
    attempt: row.attempt,
    frameCount: row.frame_count,
  };
}

function toSummary(row: RunRow): RunSummary {
  const code = RunErrorCode.nullable().parse(row.error_code);
  return {
    runId: row.run_id,
    sessionId: row.session_id,
    intent: Intent.nullable().parse(row.intent),
    status: RunStatus.parse(row.status),
    releaseOutcome: ReleaseOutcome.nullable().parse(row.release_outcome),
    query: row.query,
    window: windowOf(row),
    createdAt: row.created_at.toISOString(),
    startedAt: row.started_at?.toISOString() ?? null,
    finishedAt: row.finished_at?.toISOString() ?? null,
    cancelRequestedAt: row.cancel_requested_at?.toISOString() ?? null,
    models: modelsOf(row),
    ...(code === null ? {} : { error: { code, message: runErrorMessage(code) } }),
  };
}

function toTraceStep(step: StepRecord, invocations: readonly InvocationRecord[]): TraceStep {
  const agent = step.stage === 'diagnosis' || step.stage === 'knowledge';
  return {
    stage: step.stage,
    round: step.round,
    state: step.state,
    outcome: step.outcome,
    attempts: step.attempts,
    model: step.model,
    promptTokens: step.promptTokens,
    completionTokens: step.completionTokens,
    durationMs: step.durationMs,
    startedAt: step.startedAt.toISOString(),
    finishedAt: step.finishedAt?.toISOString() ?? null,
    inputHash: step.inputHash,
    toolCalls: agent
      ? invocations.filter((item) => item.round === step.round).map(({ call, tool }) => ({ call, tool }))
      : [],
    output: step.output,
  };
}

type Scope = z.infer<typeof CoverageItem>['scope'];

function toTraceInvocation(record: InvocationRecord): TraceInvocation {
  return {
    call: record.call,
    round: record.round,
    tool: record.tool,
    status: record.status,
    evidenceStatus: record.evidenceStatus,
    errorCode: record.errorCode,
    repeatsCall: record.repeatsCall,
    scope:
      record.scope === null ? null : (jsonColumn(record.scope) as Extract<Scope, Record<string, unknown>>),
    startedAt: record.startedAt?.toISOString() ?? null,
    finishedAt: record.finishedAt?.toISOString() ?? null,
    durationMs:
      record.finishedAt === null || record.startedAt === null
        ? null
        : record.finishedAt.getTime() - record.startedAt.getTime(),
    toolCallId: record.toolCallId,
    projection: record.agentResult === null ? null : jsonColumn(record.agentResult),
  };
}
