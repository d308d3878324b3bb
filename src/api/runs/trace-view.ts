/**
 * What of a Trace its reader may see (contract §2, SE-1). While the Run is going: identities, statuses, typed scopes and
 * times. After its end the projections and whole scopes too, and for an admin the model's own words. Pure.
 */
import type { TraceInvocation, TraceStep } from '../../shared/domain/contracts/trace.js';
import { typedScope, type ListedNames } from '../../shared/domain/release/typed-scope.js';
import type { Role } from '../../shared/ports/access.js';

export interface TraceDetails {
  steps: TraceStep[];
  toolInvocations: TraceInvocation[];
}

/** The backends' own lists are the workers' to know: here no name in a scope is taken for a listed one. */
const NO_NAMES: ListedNames = { services: new Set(), databases: new Set() };

export function visibleTrace(details: TraceDetails, finished: boolean, role: Role): TraceDetails {
  return {
    steps: details.steps.map((step) => visibleStep(step, finished, role)),
    toolInvocations: finished ? details.toolInvocations : details.toolInvocations.map(goingInvocation),
  };
}

function visibleStep(step: TraceStep, finished: boolean, role: Role): TraceStep {
  const { output, ...shown } = step;
  if (!finished) return { ...shown, inputHash: null };
  return role === 'admin' && output !== undefined ? { ...shown, output } : shown;
}

function goingInvocation(invocation: TraceInvocation): TraceInvocation {
  const { toolCallId: _id, projection: _projection, scope, ...shown } = invocation;
  return { ...shown, scope: scope === null ? null : { ...typedScope(scope, NO_NAMES) } };
}
