/** The application over real HTTP on an ephemeral port, with stores in memory. */
import { createHash } from 'node:crypto';
import type { Middleware } from 'koa';
import { createApp, type Api } from '../../../src/api/app.js';
import type { ApiSettings } from '../../../src/api/deps.js';
import { listen, type RunningServer } from '../../../src/api/http/http-server.js';
import type { RunEvent } from '../../../src/shared/domain/contracts/events.js';
import type { PublicResult, ReleaseOutcome, RunError } from '../../../src/shared/domain/contracts/run.js';
import { FINAL_STATUS } from '../../../src/shared/domain/run/transitions.js';
import type { Role } from '../../../src/shared/ports/access.js';
import type { Logger } from '../../../src/shared/ports/logger.js';
import { systemClock, uuidIds } from '../../../src/shared/runtime/identity.js';
import { MemoryLog } from './memory-log.js';
import { MemoryOwners } from './memory-owners.js';
import { MemoryQueue, MemoryRuns } from './memory-runs.js';

export const ADMIN_TOKEN = 'admin-token-of-this-test';
export const TOKENS = { ann: 'token-ann', bob: 'token-bob', vic: 'token-vic', root: ADMIN_TOKEN } as const;
export type Person = keyof typeof TOKENS;
const ROLE_OF: Readonly<Record<Exclude<Person, 'root'>, Role>> = {
  ann: 'operator',
  bob: 'operator',
  vic: 'viewer',
};

export interface LogLine {
  level: 'debug' | 'info' | 'warn' | 'error';
  fields: object;
  message: string;
}

export interface Stores {
  log: MemoryLog;
  runs: MemoryRuns;
  queue: MemoryQueue;
  owners: MemoryOwners;
}

export function newStores(): Stores {
  const runs = new MemoryRuns();
  for (const [principal, role] of Object.entries(ROLE_OF)) {
    const token = TOKENS[principal as Person];
    runs.tokens.set(createHash('sha256').update(token).digest('hex'), { principal, role });
  }
  return { log: new MemoryLog(), runs, queue: new MemoryQueue(), owners: new MemoryOwners() };
}

export interface TestApiOptions {
  stores?: Stores;
  settings?: Partial<ApiSettings>;
  ready?: () => Promise<boolean>;
  dashboard?: Middleware;
}

export class TestApi {
  readonly lines: LogLine[] = [];

  private constructor(
    readonly app: Api,
    readonly server: RunningServer,
    readonly stores: Stores,
    lines: LogLine[],
  ) {
    this.lines = lines;
  }

  static async start(options: TestApiOptions = {}): Promise<TestApi> {
    const stores = options.stores ?? newStores();
    const lines: LogLine[] = [];
    const app = createApp({
      intake: stores.runs,
      runs: stores.runs,
      tokens: stores.runs,
      events: stores.log,
      publisher: stores.log,
      cancel: stores.log,
      queue: stores.queue,
      owners: stores.owners,
      clock: systemClock,
      ids: uuidIds,
      log: recordingLogger(lines),
      ready: options.ready ?? (() => Promise.resolve(true)),
      dashboard: options.dashboard ?? null,
      settings: {
        adminToken: ADMIN_TOKEN,
        maxQueuedRuns: 1000,
        defaultWindowMinutes: 60,
        sessionVisibility: 'private',
        heartbeatMs: 60_000,
        disconnectGraceMs: 30,
        maxStreams: 100,
        checkAnswers: true,
        ...options.settings,
      },
    });
    const handle = app.callback();
    const server = await listen((request, response) => void handle(request, response), '127.0.0.1', 0);
    return new TestApi(app, server, stores, lines);
  }

  async close(): Promise<void> {
    await Promise.all([this.app.closeStreams(), this.server.close()]);
  }

  fetch(path: string, person: Person | null, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (person !== null) headers.set('Authorization', `Bearer ${TOKENS[person]}`);
    return fetch(`${this.server.url}${path}`, { ...init, headers });
  }

  post(
    path: string,
    person: Person | null,
    body: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return this.fetch(path, person, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'Content-Type': 'application/json', ...headers },
    });
  }

  /** Starts a Run over HTTP. */
  async ask(person: Person, body: object = {}): Promise<{ runId: string; sessionId: string }> {
    const response = await this.post('/api/chat', person, { query: 'why is it slow?', ...body });
    if (response.status !== 202) throw new Error(`the Run was refused: ${await response.text()}`);
    return (await response.json()) as { runId: string; sessionId: string };
  }

  publish(runId: string, key: string, event: RunEvent): Promise<number[]> {
    return this.stores.log.publish(runId, [{ key, event }], 0, new Date().toISOString());
  }

  /** Ends the Run as a guard worker does: the row first, then its last frames and their number. */
  async finish(
    runId: string,
    outcome: ReleaseOutcome,
    result: PublicResult & { error?: RunError } = {},
    frames = true,
  ): Promise<void> {
    const record = this.stores.runs.records.get(runId);
    if (record === undefined) throw new Error('there is no such Run');
    const status = FINAL_STATUS[outcome];
    Object.assign(
      record.view,
      { status, releaseOutcome: outcome, finishedAt: new Date().toISOString() },
      result,
    );
    if (!frames) return;
    const { error, ...published } = result;
    if (outcome === 'SUCCESS' || outcome === 'FALLBACK')
      await this.publish(runId, 'report', {
        event: 'report',
        data: { releaseOutcome: outcome, ...published },
      });
    if (error !== undefined) await this.publish(runId, 'error', { event: 'error', data: error });
    const [count = 0] = await this.publish(runId, 'done', {
      event: 'done',
      data: { status, releaseOutcome: outcome },
    });
    record.frameCount = count;
  }
}

function recordingLogger(lines: LogLine[]): Logger {
  const at = (level: LogLine['level']) => (fields: object, message: string) => {
    lines.push({ level, fields, message });
  };
  const logger: Logger = {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: () => logger,
  };
  return logger;
}
