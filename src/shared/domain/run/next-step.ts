/**
 * What happens next in a Run, as a value: a function of committed facts alone, so that every process that takes the Run
 * over decides the same.
 */
import type { Intent } from '../contracts/verdict.js';
import { agentSpent, type Budgets, type SpentBudget, type Usage } from './budgets.js';

export type RoundOutcome = 'TOOL_CALLS' | 'DRAFT' | 'INVALID_DRAFT' | 'FAILED';

export interface RunState {
  intent: Intent | null;
  /** The agent's committed rounds, oldest first. */
  rounds: readonly RoundOutcome[];
  /** Numbers of calls that have neither a result nor an error yet. */
  openCalls: readonly number[];
  stopped: boolean;
  /** Rounds in a row without new evidence. */
  barrenRounds: number;
  usage: Usage;
}

export type NextStep =
  | { kind: 'await_tools'; calls: readonly number[] }
  | { kind: 'route' }
  | { kind: 'model_round'; round: number; agent: 'DIAGNOSIS' | 'KNOWLEDGE_QUERY' }
  | { kind: 'stop'; reason: 'BUDGET' | 'SATURATION'; budget: SpentBudget | null }
  /** The agent's part is over: the guards take the Run. */
  | { kind: 'review' };

export function nextStep(state: RunState, budgets: Budgets, saturationRounds: number): NextStep {
  if (state.openCalls.length > 0) return { kind: 'await_tools', calls: state.openCalls };
  if (state.stopped) return { kind: 'review' };
  if (state.intent === null) return { kind: 'route' };
  if (state.intent === 'OUT_OF_SCOPE') return { kind: 'review' };
  const last = state.rounds.at(-1);
  if (last !== undefined && last !== 'TOOL_CALLS') return { kind: 'review' };
  const budget = agentSpent(budgets, state.usage);
  if (budget !== null) return { kind: 'stop', reason: 'BUDGET', budget };
  if (state.barrenRounds >= saturationRounds) return { kind: 'stop', reason: 'SATURATION', budget: null };
  return { kind: 'model_round', round: state.rounds.length + 1, agent: state.intent };
}
