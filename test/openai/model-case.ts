/** What the tests of the model client share: a scripted model, a client in front of it, and plain requests. */
import { expect } from 'chai';
import {
  createModelClient,
  type ClosableModelClient,
} from '../../src/shared/adapters/openai/model-client.js';
import type { Logger } from '../../src/shared/ports/logger.js';
import type {
  ModelFailure,
  ModelOutcome,
  ModelReply,
  ModelRequest,
} from '../../src/shared/ports/model-client.js';

export const KEY = 'sk-a-secret-of-ours';
/** Far above what any test needs, so that only a missing end would meet it. */
export const AMPLE_MS = 15_000;

export const quiet: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => quiet,
};

export interface ClientChange {
  stream?: boolean;
  idleTimeoutMs?: number;
  jsonMode?: 'none' | 'schema';
  logger?: Logger;
}

export function clientOf(baseUrl: string, change: ClientChange = {}): ClosableModelClient {
  return createModelClient({
    baseUrl,
    apiKey: KEY,
    models: {
      router: 'model-router',
      diagnosis: 'model-diagnosis',
      knowledge: 'model-knowledge',
      repair: 'model-repair',
      semantic: 'model-semantic',
    },
    stream: true,
    idleTimeoutMs: AMPLE_MS,
    jsonMode: 'none',
    logger: quiet,
    ...change,
  });
}

export function requestOf(change: Partial<ModelRequest> = {}): ModelRequest {
  return {
    stage: 'diagnosis',
    runId: 'run-1',
    attempt: 1,
    messages: [
      { role: 'system', content: 'be careful' },
      { role: 'user', content: 'why?' },
    ],
    tools: [],
    timeoutMs: AMPLE_MS,
    maxOutputBytes: 100_000,
    ...change,
  };
}

export const never = (): AbortSignal => new AbortController().signal;

export function replyOf(outcome: ModelOutcome): ModelReply {
  if (!outcome.ok) expect.fail(`the call failed: ${JSON.stringify(outcome.failure)}`);
  return outcome.reply;
}

export function failureIn(outcome: ModelOutcome): ModelFailure {
  if (outcome.ok) expect.fail(`the call was answered: ${JSON.stringify(outcome.reply)}`);
  expect(outcome.durationMs).to.be.at.least(0);
  return outcome.failure;
}
