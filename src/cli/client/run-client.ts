/**
 * sworn's HTTP and SSE interface for programs that ask: start a Run, follow its frames over lost connections, read it.
 * Every call is bounded in time and size; every answer is checked against the contract's schemas.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { ChatAccepted, type ChatRequest } from '../../shared/domain/contracts/chat.js';
import { RunView } from '../../shared/domain/contracts/run.js';
import { callSignal } from './call-signal.js';
import { ClientFault } from './client-fault.js';
import { readJson, refusal } from './json-answer.js';
import { readFrame, type RunFrame } from './run-frame.js';
import { sseEvents } from './sse-stream.js';

export interface RunClientOptions {
  /** e.g. `http://127.0.0.1:8787` */
  baseUrl: string;
  token: string;
  /** For one JSON answer. */
  requestTimeoutMs?: number;
  /** Without a byte of an event stream, heartbeats included: longer than the server's HEARTBEAT_MS. */
  idleTimeoutMs?: number;
  /** Connections in a row that bring no frame before `follow` gives up. */
  maxFruitlessConnections?: number;
  /** Before the server has named a pause of its own. */
  reconnectMs?: number;
}

export interface RunClient {
  /** `POST /api/chat`. @throws {ClientFault} */
  start(request: ChatRequest, signal?: AbortSignal): Promise<ChatAccepted>;
  /**
   * The Run's frames from the first on, each once, up to and with `done`; reconnects with `Last-Event-ID`.
   * Observing: leaving it early does not cancel the Run. @throws {ClientFault}, and the signal's reason.
   */
  follow(runId: string, signal?: AbortSignal): AsyncGenerator<RunFrame, void, undefined>;
  /** `GET /api/runs/{runId}`. @throws {ClientFault} */
  read(runId: string, signal?: AbortSignal): Promise<RunView>;
  /** `POST /api/runs/{runId}/cancel`; a Run that has ended meanwhile is no fault. @throws {ClientFault} */
  cancel(runId: string, signal?: AbortSignal): Promise<void>;
}

const MAX_RECONNECT_MS = 10_000;

export function createRunClient(options: RunClientOptions): RunClient {
  const connection: Connection = {
    baseUrl: options.baseUrl.replace(/\/+$/, ''),
    token: options.token,
    requestTimeoutMs: options.requestTimeoutMs ?? 30_000,
    idleTimeoutMs: options.idleTimeoutMs ?? 60_000,
    maxFruitlessConnections: options.maxFruitlessConnections ?? 5,
    reconnectMs: options.reconnectMs ?? 1000,
  };
  const runPath = (runId: string): string => `/api/runs/${encodeURIComponent(runId)}`;
  return {
    start: (request, signal) => requestJson(connection, 'POST', '/api/chat', ChatAccepted, signal, request),
    read: (runId, signal) => requestJson(connection, 'GET', runPath(runId), RunView, signal),
    follow: (runId, signal) => follow(connection, `${runPath(runId)}/events`, signal),
    cancel: async (runId, signal) => {
      try {
        await requestJson(connection, 'POST', `${runPath(runId)}/cancel`, z.unknown(), signal);
      } catch (error) {
        if (!(error instanceof ClientFault && error.problem?.code === 'RUN_FINISHED')) throw error;
      }
    },
  };
}

type Connection = Required<RunClientOptions>;

async function requestJson<T>(
  connection: Connection,
  method: 'GET' | 'POST',
  path: string,
  schema: z.ZodType<T>,
  signal?: AbortSignal,
  body?: unknown,
): Promise<T> {
  const call = callSignal(signal, connection.requestTimeoutMs);
  try {
    const response = await fetch(`${connection.baseUrl}${path}`, {
      method,
      signal: call.signal,
      headers: {
        Accept: 'application/json',
        Authorization: `Bearer ${connection.token}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return await readJson(response, schema);
  } catch (error) {
    throw asFault(error, signal);
  } finally {
    call.dispose();
  }
}

async function* follow(
  connection: Connection,
  path: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<RunFrame, void, undefined> {
  const cursor: Cursor = { seq: 0, retryMs: connection.reconnectMs, ended: false };
  for (let fruitless = 0; !cursor.ended;) {
    const before = cursor.seq;
    try {
      yield* readConnection(connection, path, cursor, signal);
    } catch (error) {
      const fault = asFault(error, signal);
      if (!(fault instanceof ClientFault) || fault.code !== 'UNREACHABLE') throw fault;
    }
    // The generator above moves both between the yields.
    if (isEnded(cursor)) return;
    fruitless = cursor.seq > before ? 0 : fruitless + 1;
    if (fruitless >= connection.maxFruitlessConnections)
      throw new ClientFault('UNREACHABLE', 'the stream of the Run broke off and could not be resumed');
    await pause(
      Math.min(cursor.retryMs, MAX_RECONNECT_MS),
      undefined,
      signal === undefined ? {} : { signal },
    );
  }
}

interface Cursor {
  seq: number;
  retryMs: number;
  ended: boolean;
}

function isEnded(cursor: Cursor): boolean {
  return cursor.ended;
}

/** One connection's frames; ends with it. `204`: there is nothing after the cursor, and never will be. */
async function* readConnection(
  connection: Connection,
  path: string,
  cursor: Cursor,
  signal: AbortSignal | undefined,
): AsyncGenerator<RunFrame, void, undefined> {
  const call = callSignal(signal, connection.idleTimeoutMs);
  try {
    const response = await fetch(`${connection.baseUrl}${path}`, {
      signal: call.signal,
      headers: {
        Accept: 'text/event-stream',
        Authorization: `Bearer ${connection.token}`,
        ...(cursor.seq === 0 ? {} : { 'Last-Event-ID': String(cursor.seq) }),
      },
    });
    cursor.ended = response.status === 204;
    if (cursor.ended) return;
    if (response.status !== 200 || response.body === null) throw await refusal(response);
    const events = sseEvents(response.body, {
      onActivity: () => {
        call.renew();
      },
      onRetry: (ms) => {
        cursor.retryMs = ms;
      },
    });
    for await (const { event, data } of events) {
      const frame = readFrame({ event: event ?? 'message', data });
      if (frame === null || frame.seq <= cursor.seq) continue;
      cursor.seq = frame.seq;
      cursor.ended = frame.event === 'done';
      yield frame;
      if (cursor.ended) return;
    }
  } finally {
    call.dispose();
  }
}

/** A caller's own abort stays what it is; what fetch throws besides is a connection that did not hold. */
function asFault(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true) return signal.reason;
  if (error instanceof ClientFault) return error;
  if (error instanceof z.ZodError || error instanceof SyntaxError)
    return new ClientFault('UNEXPECTED_ANSWER', 'the answer is not what the contract says');
  return new ClientFault('UNREACHABLE', 'sworn could not be reached, or the connection was lost');
}
