/** The guards' limits as the environment gives them (SG-3). */
import type { WorkerEnv } from '../../shared/runtime/env.js';
import type { GuardDeps } from './guard-call.js';

export function guardLimits(env: WorkerEnv): GuardDeps['limits'] {
  return {
    modelTimeoutMs: env.MODEL_TIMEOUT_MS,
    semanticAttemptMs: env.SEMANTIC_ATTEMPT_TIMEOUT_MS,
    semanticTotalMs: env.SEMANTIC_TOTAL_TIMEOUT_MS,
    semanticInputBytes: env.SEMANTIC_MAX_INPUT_BYTES,
    semanticOutputBytes: env.SEMANTIC_MAX_OUTPUT_BYTES,
  };
}
