/**
 * Canonical invocations in Redis, keyed by `runId + toolCallId`, expiring (IV-1).
 *
 * Contract: `begin` and `finish` are atomic; both refuse when a READY record stands already or when the stored `claim`
 * is newer than the caller's (a worker that lost its job writes nothing). `load` returns what stands there, unparsed:
 * the guard judges it. A store out of reach rejects with `StoreUnavailable`.
 */
import type { EvidenceStatus } from '../domain/contracts/invocation.js';
import type { RawRecord } from '../domain/guards/canonical-record.js';

export interface BeginInvocation {
  runId: string;
  toolCallId: string;
  tool: string;
  claim: number;
  startedAt: string;
}

export interface FinishInvocation {
  runId: string;
  toolCallId: string;
  claim: number;
  status: 'READY' | 'ERROR';
  evidenceStatus: EvidenceStatus;
  scope: string;
  agentResult: string;
  finishedAt: string;
}

export interface CanonicalStore {
  begin(record: BeginInvocation): Promise<'begun' | 'ready' | 'stale'>;
  finish(record: FinishInvocation): Promise<'written' | 'ready' | 'stale'>;
  /** In the order asked; `null` where nothing stands. */
  load(runId: string, toolCallIds: readonly string[]): Promise<(RawRecord | null)[]>;
}

export type { RawRecord };
