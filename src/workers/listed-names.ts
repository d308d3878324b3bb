/** The names that the backends listed when the Run began: these alone may be shown before release (SE-1). */
import type { ListedNames } from '../shared/domain/release/typed-scope.js';
import type { RunContext } from '../shared/ports/run-store.js';

export function listedNames(context: RunContext | null): ListedNames {
  return {
    services: new Set(context?.material.services ?? []),
    databases: new Set(context?.material.databases.map(({ name }) => name) ?? []),
  };
}
