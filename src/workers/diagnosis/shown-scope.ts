/** Scopes cut to what may be shown before release (SE-1). */
import type { TypedScope } from '../../shared/domain/contracts/coverage.js';
import { normaliseWindow, WindowInput } from '../../shared/domain/contracts/window.js';
import { typedScope } from '../../shared/domain/release/typed-scope.js';
import type { InvocationRecord, RunContext } from '../../shared/ports/run-store.js';
import { listedNames } from '../listed-names.js';

/** Of a finished invocation. */
export function typedScopeOf(record: InvocationRecord, context: RunContext | null): TypedScope {
  if (record.scope === null) return requestedScope(record, context);
  return typedScope(JSON.parse(record.scope) as Record<string, unknown>, listedNames(context));
}

/** Of one that still runs: the window that was asked for, when it is one. */
export function requestedScope(record: InvocationRecord, context: RunContext | null): TypedScope {
  try {
    const args = JSON.parse(record.arguments) as Record<string, unknown>;
    const window = WindowInput.safeParse({ from: args['from'], to: args['to'] });
    const scope = window.success ? { ...args, window: normaliseWindow(window.data) } : args;
    return typedScope(scope, listedNames(context));
  } catch {
    return {};
  }
}
