/**
 * The Run's budgets (BU-1, contract §4). The agent may not spend the guards' reserve: three model calls (a repair, two
 * semantic attempts) and the tokens of the largest semantic input.
 */
export interface Budgets {
  maxModelCalls: number;
  maxToolCalls: number;
  maxTokens: number;
  maxEvidenceBytes: number;
  timeoutMs: number;
  semanticMaxInputBytes: number;
}

export interface Usage {
  modelCalls: number;
  toolCalls: number;
  tokens: number;
  /** Bytes of the READY projections. */
  evidenceBytes: number;
  elapsedMs: number;
}

export type SpentBudget = 'MODEL_CALLS' | 'TOOL_CALLS' | 'TOKENS' | 'EVIDENCE_BYTES' | 'TIME';

export const RESERVED_MODEL_CALLS = 3;
/** Where an endpoint does not say, a token counts as four bytes. */
export const BYTES_PER_TOKEN = 4;

/**
 * The largest semantic input, once. A repair or a second attempt is paid from what else is left: where that is not
 * enough, the review is unavailable, which publishes nothing.
 */
export function reservedTokens(budgets: Budgets): number {
  return tokensIn(budgets.semanticMaxInputBytes);
}

export function tokensIn(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/**
 * How many HTTP attempts the agent (or the Router) may still make without touching the guards' reserve; each attempt of
 * a round counts, so a round's retry is bounded by this too.
 */
export function agentAttemptsLeft(budgets: Budgets, usage: Pick<Usage, 'modelCalls'>): number {
  return Math.max(0, budgets.maxModelCalls - RESERVED_MODEL_CALLS - usage.modelCalls);
}

/**
 * What keeps the agent from another round; null while it may go on. A round sends all evidence again, so one that could
 * not be paid for that alone is not begun.
 */
export function agentSpent(budgets: Budgets, usage: Usage): SpentBudget | null {
  if (usage.elapsedMs >= budgets.timeoutMs) return 'TIME';
  if (agentAttemptsLeft(budgets, usage) === 0) return 'MODEL_CALLS';
  if (usage.toolCalls >= budgets.maxToolCalls) return 'TOOL_CALLS';
  if (usage.tokens + tokensIn(usage.evidenceBytes) >= budgets.maxTokens - reservedTokens(budgets))
    return 'TOKENS';
  if (usage.evidenceBytes >= budgets.maxEvidenceBytes) return 'EVIDENCE_BYTES';
  return null;
}

/** True when a round that sends `inputBytes` would eat into the guards' reserve. */
export function roundTooDear(budgets: Budgets, usage: Pick<Usage, 'tokens'>, inputBytes: number): boolean {
  return usage.tokens + tokensIn(inputBytes) > budgets.maxTokens - reservedTokens(budgets);
}

/** What keeps a guard from a model call; `inputBytes` is what that call would send. */
export function guardSpent(budgets: Budgets, usage: Usage, inputBytes: number): SpentBudget | null {
  if (usage.elapsedMs >= budgets.timeoutMs) return 'TIME';
  if (usage.modelCalls >= budgets.maxModelCalls) return 'MODEL_CALLS';
  if (usage.tokens + tokensIn(inputBytes) > budgets.maxTokens) return 'TOKENS';
  return null;
}

/** A total that leaves the agent nothing beside the reserve; names both variables. */
export function reserveFault(budgets: Budgets): string | null {
  if (budgets.maxModelCalls <= RESERVED_MODEL_CALLS)
    return `RUN_MAX_MODEL_CALLS must be more than the ${RESERVED_MODEL_CALLS} calls that the guards keep in reserve`;
  const reserve = reservedTokens(budgets);
  if (budgets.maxTokens <= reserve)
    return `RUN_MAX_TOKENS must be more than the guards' reserve of ${reserve} tokens, a quarter of SEMANTIC_MAX_INPUT_BYTES: raise the one or lower the other`;
  return null;
}
