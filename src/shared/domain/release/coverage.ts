/** Coverage (contract §2): what was looked at and how each check ended, from the invocations alone. */
import type { CoverageItem } from '../contracts/coverage.js';
import type {
  CoverageState,
  EvidenceStatus,
  InvocationErrorCode,
  InvocationStatus,
} from '../contracts/invocation.js';
import { isToolName } from '../contracts/tools/catalogue.js';
import { reachesOutside, Window } from '../contracts/window.js';
import { typedScope, type ListedNames } from './typed-scope.js';

export interface CoveredCall {
  tool: string;
  status: InvocationStatus;
  evidenceStatus: EvidenceStatus | null;
  errorCode: InvocationErrorCode | null;
  truncated: boolean;
  scope: Readonly<Record<string, unknown>> | null;
  repeatsCall: number | null;
}

/** @param full whole scopes (a published report shows them), else typed fields alone. */
export function coverage(
  calls: readonly CoveredCall[],
  window: Window,
  listed: ListedNames,
  full: boolean,
): CoverageItem[] {
  return calls
    .filter((call) => isToolName(call.tool) && call.repeatsCall === null)
    .map((call) => {
      const scope = call.scope ?? {};
      const searched = Window.safeParse(scope['window']);
      return {
        tool: call.tool,
        scope: full ? { ...scope } : typedScope(scope, listed),
        state: coverageState(call),
        ...(searched.success && reachesOutside(searched.data, window)
          ? { outsideWindow: true as const }
          : {}),
      };
    });
}

function coverageState(call: CoveredCall): CoverageState {
  switch (call.status) {
    case 'READY':
      if (call.truncated) return 'truncated';
      return call.evidenceStatus === 'NO_EVIDENCE' ? 'checked_empty' : 'found';
    case 'PROJECTING':
      return 'failed';
    case 'ERROR':
      if (call.errorCode === 'DENIED') return 'denied';
      return call.errorCode === 'CANCELLED' ? 'cancelled' : 'failed';
  }
}
