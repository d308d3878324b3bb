/** The agent's own rounds among a Run's steps. */
import type { StepRecord } from '../shared/ports/run-store.js';

export function agentSteps(steps: readonly StepRecord[]): StepRecord[] {
  return steps.filter((step) => step.stage === 'diagnosis' || step.stage === 'knowledge');
}
