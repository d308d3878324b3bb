/** Sessions, Runs and tokens in memory, by the contract of their ports. */
import type { RunSummary, RunView } from '../../../src/shared/domain/contracts/run.js';
import type { TraceInvocation, TraceStep } from '../../../src/shared/domain/contracts/trace.js';
import type { Caller, TokenStore } from '../../../src/shared/ports/access.js';
import { StoreUnavailable } from '../../../src/shared/ports/errors.js';
import type { RunQueue } from '../../../src/shared/ports/job-queue.js';
import type {
  NewRun,
  RunIntake,
  RunReader,
  RunRecord,
  SessionRow,
} from '../../../src/shared/ports/run-intake.js';

export interface Details {
  steps: TraceStep[];
  invocations: TraceInvocation[];
}

export class MemoryRuns implements RunIntake, RunReader, Pick<TokenStore, 'find'> {
  /** Every operation rejects while true. */
  away = false;
  /** Invocations that are still at work keep a final Run from being settled. */
  readonly inFlight = new Set<string>();
  readonly sessions = new Map<string, SessionRow>();
  readonly records = new Map<string, RunRecord>();
  readonly traces = new Map<string, Details>();
  /** Hash → caller. */
  readonly tokens = new Map<string, Caller>();
  lookups = 0;
  settledChecks = 0;

  find(hash: string): Promise<Caller | null> {
    this.lookups += 1;
    return this.#reached(() => this.tokens.get(hash) ?? null);
  }

  create(run: NewRun): Promise<'created' | 'conflict'> {
    return this.#reached(() => {
      const { sessionId, principal, visibility } = run;
      const session = this.sessions.get(sessionId) ?? { sessionId, principal, visibility };
      if (session.principal !== principal && session.visibility !== 'shared') return 'conflict';
      this.sessions.set(sessionId, session);
      this.records.set(run.runId, recordOf(run, session));
      return 'created';
    });
  }

  requestCancel(runId: string, at: Date): Promise<'requested' | 'finished' | 'unknown'> {
    return this.#reached(() => {
      const record = this.records.get(runId);
      if (record === undefined) return 'unknown';
      if (record.view.releaseOutcome !== null) return 'finished';
      record.view.cancelRequestedAt ??= at.toISOString();
      return 'requested';
    });
  }

  session(sessionId: string): Promise<SessionRow | null> {
    return this.#reached(() => this.sessions.get(sessionId) ?? null);
  }

  run(runId: string): Promise<RunRecord | null> {
    return this.#reached(() => structuredClone(this.records.get(runId) ?? null));
  }

  latestRunId(sessionId: string): Promise<string | null> {
    return this.#reached(() => this.#newestFirst(sessionId)[0]?.runId ?? null);
  }

  runs(sessionId: string, limit: number, before: string | null): Promise<RunSummary[]> {
    return this.#reached(() =>
      this.#newestFirst(sessionId)
        .filter(({ runId }) => before === null || runId < before)
        .slice(0, limit)
        .map(({ coverage: _c, report: _r, knowledge: _k, fallback: _f, ...summary }) => summary),
    );
  }

  details(runId: string): Promise<Details> {
    return this.#reached(() => structuredClone(this.traces.get(runId) ?? { steps: [], invocations: [] }));
  }

  isSettled(runId: string): Promise<boolean> {
    this.settledChecks += 1;
    return this.#reached(
      () => this.records.get(runId)?.view.releaseOutcome !== null && !this.inFlight.has(runId),
    );
  }

  #newestFirst(sessionId: string): RunView[] {
    return [...this.records.values()]
      .map(({ view }) => view)
      .filter((view) => view.sessionId === sessionId)
      .sort((a, b) => (a.runId < b.runId ? 1 : -1));
  }

  async #reached<T>(work: () => T): Promise<T> {
    await Promise.resolve();
    if (this.away) throw new StoreUnavailable('MySQL');
    return work();
  }
}

function recordOf(run: NewRun, session: SessionRow): RunRecord {
  const { runId, sessionId, query, window } = run;
  return {
    session,
    onDisconnect: run.onDisconnect,
    attempt: 1,
    frameCount: null,
    view: {
      runId,
      sessionId,
      query,
      window,
      intent: null,
      status: 'QUEUED',
      releaseOutcome: null,
      createdAt: run.createdAt.toISOString(),
      startedAt: null,
      finishedAt: null,
      cancelRequestedAt: null,
      models: [],
      coverage: [],
    },
  };
}

export class MemoryQueue implements Pick<RunQueue, 'enqueueRun' | 'waitingRuns'> {
  away = false;
  /** `waitingRuns` answers, and adding does not. */
  refusesJobs = false;
  readonly jobs: string[] = [];

  async enqueueRun(runId: string, attempt: number): Promise<void> {
    await Promise.resolve();
    if (this.away || this.refusesJobs) throw new StoreUnavailable('Redis');
    const job = `${runId}-a${attempt}`;
    if (!this.jobs.includes(job)) this.jobs.push(job);
  }

  async waitingRuns(): Promise<number> {
    await Promise.resolve();
    if (this.away) throw new StoreUnavailable('Redis');
    return this.jobs.length;
  }
}
