/** Whether the demo showed what it is there to show. Pure. */
import type { RunView } from '../src/shared/domain/contracts/run.js';

/** What went wrong, one sentence each. @param runs in the order of the questions; the first must end in a report. */
export function demoFaults(runs: readonly RunView[]): string[] {
  const failed = runs.filter(({ status }) => status === 'FAILED');
  const [first] = runs;
  const published = first?.releaseOutcome === 'SUCCESS' && first.report !== undefined;
  return [
    ...failed.map(
      ({ query, error }) => `The Run for “${query}” failed: ${error?.code ?? 'no code was given'}.`,
    ),
    ...(published ? [] : ['The first question did not end in a published report.']),
  ];
}
