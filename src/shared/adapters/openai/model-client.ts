/**
 * {@link ModelClient} over the `openai` package: one HTTP attempt per call (RT-1), own total and idle timers (the package's
 * timeout ends with the headers), and a reply only with a `finish_reason`. Never throws; whatever ends a call early also
 * closes its connection.
 */
import OpenAI from 'openai';
import type { Logger } from '../../ports/logger.js';
import type { ModelClient, ModelFailure, ModelReply, ModelRequest, Stage } from '../../ports/model-client.js';
import { readAnswer, type BodyKind } from './answer-body.js';
import { CallClock, LONGEST_TIMER_MS } from './call-clock.js';
import { completionParams, stageHeaders } from './completion-request.js';
import { failureOf, stoppedFailure, wrongBodyFailure } from './model-failures.js';
import { createPooledFetch } from './pooled-fetch.js';
import { ReplyAccumulator } from './reply-accumulator.js';

export interface ModelClientOptions {
  /** `OPENAI_BASE_URL`, e.g. `https://api.openai.com/v1`. */
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
  /** Ends every call in flight as cancelled, and later ones at once; resolves when no connection is open. */
  close(): Promise<void>;
}

interface Endpoint {
  client: OpenAI;
  options: ModelClientOptions;
  /** For the operator: the host alone, since a URL may hold a password. */
  where: string;
}

type Attempt = { ok: true; reply: ModelReply } | { ok: false; failure: ModelFailure };

/** Opens nothing until the first call. @throws {TypeError} on a `baseUrl` that is no URL. */
export function createModelClient(options: ModelClientOptions): ClosableModelClient {
  const pool = createPooledFetch();
  const endpoint: Endpoint = {
    client: openClient(options, pool.fetch),
    options,
    where: new URL(options.baseUrl).host,
  };
  const inFlight = new Map<CallClock, Promise<Attempt>>();
  let closed = false;
  return {
    complete: async (request, signal) => {
      const began = performance.now();
      const clock = new CallClock(signal, { totalMs: request.timeoutMs, idleMs: options.idleTimeoutMs });
      if (closed) clock.abort('cancelled');
      const attempted = attempt(endpoint, request, clock);
      inFlight.set(clock, attempted);
      try {
        const outcome = { ...(await attempted), durationMs: performance.now() - began };
        logAttempt(options.logger, request, outcome);
        return outcome;
      } finally {
        inFlight.delete(clock);
        clock.dispose();
      }
    },
    close: async () => {
      closed = true;
      for (const clock of inFlight.keys()) clock.abort('cancelled');
      await Promise.all(inFlight.values());
      await pool.close();
    },
  };
}

/** What the package would read from the environment by itself is set: the environment is parsed in one place. */
function openClient(options: ModelClientOptions, fetch: OpenAI['_options']['fetch']): OpenAI {
  return new OpenAI({
    apiKey: options.apiKey,
    baseURL: options.baseUrl,
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    // It would log bodies (SE-1).
    logLevel: 'off',
    fetch,
  });
}

/** Never rejects. */
async function attempt(endpoint: Endpoint, request: ModelRequest, clock: CallClock): Promise<Attempt> {
  const { where } = endpoint;
  const accumulator = new ReplyAccumulator(request.maxOutputBytes);
  const ended = await exchange(endpoint, request, clock, accumulator);
  const reason = clock.reason();
  if (reason === 'cancelled') return { ok: false, failure: stoppedFailure(reason, where) };
  // A whole answer counts, even when the end of its stream was slow or broke.
  if (accumulator.isWhole) return finished(accumulator, where);
  if (reason !== null) return { ok: false, failure: stoppedFailure(reason, where) };
  if (ended.failure !== undefined) return { ok: false, failure: ended.failure };
  return finished(accumulator, where);
}

/** Sends and reads until the end, a fault, or the clock says stop. */
async function exchange(
  endpoint: Endpoint,
  request: ModelRequest,
  clock: CallClock,
  accumulator: ReplyAccumulator,
): Promise<{ failure?: ModelFailure }> {
  const { where } = endpoint;
  if (clock.reason() !== null) return {};
  try {
    const kind = await clock.guard(receive(endpoint, request, clock, accumulator));
    return kind === null || kind === 'completion' ? {} : { failure: wrongBodyFailure(kind, where) };
  } catch (error) {
    return { failure: failureOf(error, where, Date.now()) };
  }
}

async function receive(
  { client, options }: Endpoint,
  request: ModelRequest,
  clock: CallClock,
  accumulator: ReplyAccumulator,
): Promise<BodyKind> {
  const settings = {
    model: options.models[request.stage],
    stream: options.stream,
    jsonMode: options.jsonMode,
  };
  const response = await client.chat.completions
    .create(completionParams(request, settings), {
      signal: clock.signal,
      timeout: Math.min(Math.ceil(request.timeoutMs), LONGEST_TIMER_MS),
      headers: stageHeaders(request),
    })
    .asResponse();
  const contentType = response.headers.get('content-type') ?? '';
  return readAnswer({ contentType, body: response.body }, accumulator, clock, request.maxOutputBytes);
}

function finished(accumulator: ReplyAccumulator, where: string): Attempt {
  const result = accumulator.finish();
  return result.ok
    ? result
    : { ok: false, failure: { kind: 'transport', detail: `${where}: ${result.detail}` } };
}

function logAttempt(logger: Logger, request: ModelRequest, outcome: Attempt & { durationMs: number }): void {
  logger.debug(
    {
      runId: request.runId,
      stage: request.stage,
      attempt: request.attempt,
      durationMs: Math.round(outcome.durationMs),
      outcome: outcome.ok ? outcome.reply.finishReason : outcome.failure.kind,
    },
    'model attempt ended',
  );
}
