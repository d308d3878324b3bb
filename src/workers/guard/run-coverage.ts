/** Coverage of a Run's committed invocations. */
import type { CoverageItem } from '../../shared/domain/contracts/coverage.js';
import { coverage } from '../../shared/domain/release/coverage.js';
import type { EngineRun, InvocationRecord } from '../../shared/ports/run-store.js';
import { listedNames } from '../listed-names.js';

/** @param full whole scopes, for a published report. */
export function runCoverage(
  run: EngineRun,
  invocations: readonly InvocationRecord[],
  full: boolean,
): CoverageItem[] {
  return coverage(
    invocations
      .filter((record) => record.toolCallId !== null)
      .map((record) => ({
        tool: record.tool,
        status: record.status,
        evidenceStatus: record.evidenceStatus,
        errorCode: record.errorCode,
        truncated: isTruncated(record),
        scope: record.scope === null ? null : (JSON.parse(record.scope) as Record<string, unknown>),
        repeatsCall: record.repeatsCall,
      })),
    run.window,
    listedNames(run.context),
    full,
  );
}

function isTruncated(record: InvocationRecord): boolean {
  if (record.agentResult === null) return false;
  const result = JSON.parse(record.agentResult) as { truncated?: unknown };
  return result.truncated === true;
}
