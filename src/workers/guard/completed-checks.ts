/** A Run's completed checks, strictly parsed from the canonical store: what progress may be told of (RP-8). */
import { parseRecord, type ReadyRecord } from '../../shared/domain/guards/canonical-record.js';
import type { CanonicalStore } from '../../shared/ports/canonical-store.js';
import type { EngineRun, InvocationRecord } from '../../shared/ports/run-store.js';
import { loadRecords } from './review-evidence.js';

/** Whatever is gone from the store, or does not parse, was not checked: nothing is rebuilt from the rows. */
export async function completedChecks(
  deps: { canonical: CanonicalStore },
  run: EngineRun,
  invocations: readonly InvocationRecord[],
): Promise<ReadyRecord[]> {
  const ids = invocations.flatMap((record) =>
    record.status === 'READY' && record.repeatsCall === null && record.toolCallId !== null
      ? [record.toolCallId]
      : [],
  );
  const records = await loadRecords(deps, run.runId, ids);
  return ids.flatMap((id) => {
    const raw = records.get(id) ?? null;
    const parsed = raw === null ? null : parseRecord(run.runId, id, raw);
    return parsed !== null && parsed.ok ? [parsed.record] : [];
  });
}
