/** Records a cancel request, then tells whoever works on the Run (CA-1). The row is the truth, the hint may get lost. */
import { StoreUnavailable } from '../../shared/ports/errors.js';
import type { ApiDeps } from '../deps.js';

export type CancelDeps = Pick<ApiDeps, 'intake' | 'cancel' | 'clock' | 'log'>;

/** @throws {StoreUnavailable} when the request could not be recorded. */
export async function cancelRun(
  deps: CancelDeps,
  runId: string,
): Promise<'requested' | 'finished' | 'unknown'> {
  const outcome = await deps.intake.requestCancel(runId, deps.clock.now());
  if (outcome !== 'requested') return outcome;
  try {
    await deps.cancel.notify(runId);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    deps.log.warn({ runId, err: error }, 'the hint of a cancel request was not sent');
  }
  return outcome;
}
