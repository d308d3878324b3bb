/**
 * {@link ModelClient} over the `openai` package: one HTTP attempt per call (RT-1), own total and idle timers (the package's
 * timeout covers headers alone), and a reply only with a `finish_reason` (its iterator also ends normally on abort and on
 * truncation).
 */
import OpenAI from 'openai';
import type { Logger } from '../../ports/logger.js';
import type {
  ModelClient,
  ModelFailure,
  ModelOutcome,
  ModelReply,
  ModelRequest,
  Stage,
} from '../../ports/model-client.js';
import { CallClock } from './call-clock.js';
import { failureOf } from './model-failures.js';
import { ReplyAccumulator } from './reply-accumulator.js';
import { toWireMessages, toWireTools } from './wire-messages.js';

export interface ModelClientOptions {
  baseUrl: string;
  apiKey: string;
  models: Readonly<Record<Stage, string>>;
  /** `MODEL_STREAM`. */
  stream: boolean;
  /** From the first chunk on. */
  idleTimeoutMs: number;
  /** `MODEL_JSON`: whether `response_format` is sent. */
  jsonMode: 'none' | 'schema';
  logger: Logger;
}

export interface ClosableModelClient extends ModelClient {
  /** Ends every call in flight as cancelled. */
  close(): Promise<void>;
}

export function createModelClient(options: ModelClientOptions): ClosableModelClient {
  const client = new OpenAI({
    apiKey: options.apiKey,
    baseURL: options.baseUrl,
    maxRetries: 0,
    logLevel: 'off',
  });
  const clocks = new Set<CallClock>();
  return {
    complete: async (request, signal) => {
      const began = performance.now();
      const clock = new CallClock(signal, request.timeoutMs, options.idleTimeoutMs);
      clocks.add(clock);
      try {
        const outcome = await attempt(client, options, request, clock);
        return { ...outcome, durationMs: performance.now() - began };
      } finally {
        clocks.delete(clock);
        clock.dispose();
      }
    },
    close: () => {
      for (const clock of clocks) clock.abort('cancelled');
      return Promise.resolve();
    },
  };
}

type Attempt = { ok: true; reply: ModelReply } | { ok: false; failure: ModelFailure };

async function attempt(
  client: OpenAI,
  options: ModelClientOptions,
  request: ModelRequest,
  clock: CallClock,
): Promise<Attempt> {
  const where = new URL(options.baseUrl).host;
  const fail = (kind: ModelFailure['kind'], detail: string): Attempt => ({
    ok: false,
    failure: { kind, detail: `${where}: ${detail}` },
  });
  const stopped = (): Attempt | null => {
    const reason = clock.reason();
    if (reason === null) return null;
    return fail(reason, reason === 'timeout' ? 'no whole answer in time' : 'the call was cancelled');
  };
  if (clock.reason() !== null) return stopped() ?? fail('cancelled', 'the call was cancelled');
  const accumulator = new ReplyAccumulator(request.maxOutputBytes);
  try {
    await clock.guard(receive(client, options, request, clock, accumulator));
  } catch (error) {
    return stopped() ?? { ok: false, failure: failureOf(error, where) };
  }
  const result = accumulator.finish();
  return stopped() ?? (result.ok ? result : fail('transport', result.detail));
}

async function receive(
  client: OpenAI,
  options: ModelClientOptions,
  request: ModelRequest,
  clock: CallClock,
  accumulator: ReplyAccumulator,
): Promise<void> {
  const body = {
    model: options.models[request.stage],
    messages: toWireMessages(request.messages),
    ...(request.tools.length === 0 ? {} : { tools: toWireTools(request.tools) }),
    ...responseFormat(options, request),
  };
  const call = {
    signal: clock.signal,
    timeout: request.timeoutMs + 1000,
    headers: {
      'X-Sworn-Stage': request.stage,
      'X-Sworn-Run': request.runId,
      'X-Sworn-Attempt': String(request.attempt),
    },
  };
  if (!options.stream) {
    accumulator.addWhole(await client.chat.completions.create({ ...body, stream: false }, call));
    return;
  }
  const stream = await client.chat.completions.create(
    { ...body, stream: true, stream_options: { include_usage: true } },
    call,
  );
  for await (const chunk of stream) {
    clock.touch();
    if (!accumulator.addChunk(chunk)) break;
  }
  // Whatever ended the loop, the socket is not read any further.
  stream.controller.abort();
}

function responseFormat(options: ModelClientOptions, request: ModelRequest) {
  if (options.jsonMode !== 'schema' || request.answerSchema === undefined) return {};
  const { name, schema } = request.answerSchema;
  return { response_format: { type: 'json_schema' as const, json_schema: { name, schema, strict: true } } };
}

export type { ModelOutcome };
