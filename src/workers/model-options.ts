/** The model endpoint as a worker's environment names it; guards use the system's model unless overridden (SG-1). */
import type { Logger } from '../shared/ports/logger.js';
import type { Stage } from '../shared/ports/model-client.js';
import type { WorkerEnv } from '../shared/runtime/env.js';

export interface ModelOptions {
  baseUrl: string;
  apiKey: string;
  models: Record<Stage, string>;
  stream: boolean;
  idleTimeoutMs: number;
  jsonMode: 'none' | 'schema';
  logger: Logger;
}

export function modelOptions(env: WorkerEnv, logger: Logger): ModelOptions {
  const model = env.OPENAI_MODEL;
  const agent = env.OPENAI_MODEL_DIAGNOSIS ?? model;
  const guard = env.OPENAI_MODEL_GUARD ?? model;
  return {
    baseUrl: env.OPENAI_BASE_URL,
    apiKey: env.OPENAI_API_KEY,
    models: {
      router: env.OPENAI_MODEL_ROUTER ?? model,
      diagnosis: agent,
      knowledge: agent,
      repair: guard,
      semantic: guard,
    },
    stream: env.MODEL_STREAM,
    idleTimeoutMs: env.MODEL_IDLE_TIMEOUT_MS,
    jsonMode: env.MODEL_JSON,
    logger,
  };
}
