/**
 * The end of a Run whose time is well past although its flow still stands: its worker is stopped, or none is left. A new
 * claim fences whoever might wake (BU-1, CA-2).
 */
import type { RunStatus } from '../../shared/domain/contracts/run.js';
import type { CanonicalStore } from '../../shared/ports/canonical-store.js';
import { completedChecks } from './completed-checks.js';
import { endingOf, type Reviewed } from './ending.js';
import { finalizeRun, type FinalizeDeps } from './finalize.js';
import { runCoverage } from './run-coverage.js';

export interface OverdueDeps extends FinalizeDeps {
  canonical: CanonicalStore;
}

/** @param status as it was found: a Run under review had a Draft that nobody could judge in time. */
export async function endOverdue(deps: OverdueDeps, runId: string, status: RunStatus): Promise<void> {
  const claim = await deps.store.claim(runId, 'review', null, deps.clock.now());
  if (!claim.ok) return;
  const { run } = claim;
  const fence = { runId, epoch: run.epoch };
  deps.log.warn({ runId, status }, 'a run whose time is over is ended for its worker');
  await deps.store.closeOpenInvocations(fence, 'LOST', deps.clock.now());
  await deps.store.abandonGuardSteps(fence, deps.clock.now());
  const invocations = await deps.store.invocations(runId);
  const progress = await completedChecks(deps, run, invocations);
  const reviewed: Reviewed = {
    facts:
      status === 'REVIEWING'
        ? { kind: 'concluded', evidence: 'passed', semantic: 'UNAVAILABLE' }
        : { kind: 'controlled_stop' },
  };
  await finalizeRun(deps, run, endingOf(run, reviewed, progress), runCoverage(run, invocations, false));
}
