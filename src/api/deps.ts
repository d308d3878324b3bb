/** Everything that the API is made of; `main.ts` gives the real parts. */
import type { Visibility } from '../shared/domain/contracts/run.js';
import type { TokenStore } from '../shared/ports/access.js';
import type { Clock, IdSource } from '../shared/ports/clock.js';
import type { CancelSignal, EventPublisher, EventReader } from '../shared/ports/event-log.js';
import type { RunQueue } from '../shared/ports/job-queue.js';
import type { Logger } from '../shared/ports/logger.js';
import type { RunIntake, RunReader } from '../shared/ports/run-intake.js';
import type { RunOwners } from '../shared/ports/run-owners.js';
import type { ApiMiddleware } from './api-context.js';

export interface ApiSettings {
  /** A token with role `admin` that exists from start. */
  adminToken: string | undefined;
  /** So many Runs may wait; the next is refused. */
  maxQueuedRuns: number;
  defaultWindowMinutes: number;
  /** Of a session whose first request names none. */
  sessionVisibility: Visibility;
  heartbeatMs: number;
  disconnectGraceMs: number;
  /** Streams and waiting requests that this process serves at a time. */
  maxStreams: number;
  /** Checks every answer against its declared schema, and fails the request where it does not fit. For tests. */
  checkAnswers: boolean;
}

export interface ApiDeps {
  intake: RunIntake;
  runs: RunReader;
  events: EventReader;
  publisher: EventPublisher;
  cancel: Pick<CancelSignal, 'notify'>;
  queue: Pick<RunQueue, 'enqueueRun' | 'waitingRuns'>;
  tokens: Pick<TokenStore, 'find'>;
  owners: RunOwners;
  clock: Clock;
  ids: IdSource;
  log: Logger;
  /** Stores reachable and migrations current. A rejection counts as no. */
  ready: () => Promise<boolean>;
  /** The queues' dashboard, answering below `/admin/queues`; it does not authenticate by itself. */
  dashboard: ApiMiddleware | null;
  settings: ApiSettings;
}
