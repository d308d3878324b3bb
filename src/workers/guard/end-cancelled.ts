/** The end of a Run whose cancellation was asked for and that nobody works on any more (CA-2). */
import { runCoverage } from './run-coverage.js';
import { finalizeRun, type FinalizeDeps } from './finalize.js';

export async function endCancelled(deps: FinalizeDeps, runId: string): Promise<void> {
  const claim = await deps.store.claim(runId, 'cancel', null, deps.clock.now());
  if (!claim.ok) return;
  const { run } = claim;
  await deps.store.closeOpenInvocations({ runId, epoch: run.epoch }, 'CANCELLED', deps.clock.now());
  await deps.store.abandonGuardSteps({ runId, epoch: run.epoch }, deps.clock.now());
  const invocations = await deps.store.invocations(runId);
  await finalizeRun(deps, run, { outcome: 'CANCELLED' }, runCoverage(run, invocations, false));
}
