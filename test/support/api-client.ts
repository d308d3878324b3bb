/** The outside of sworn as a test uses it: plain fetch and an SSE parser. */
import { createParser } from 'eventsource-parser';
import type { RunView } from '../../src/shared/domain/contracts/run.js';
import { ADMIN_TOKEN } from './test-fleet.js';

export interface ApiAnswer<T = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: T;
}

export interface SseFrame {
  id: number;
  event: string;
  data: Record<string, unknown>;
}

export async function call<T = Record<string, unknown>>(
  baseUrl: string,
  method: string,
  path: string,
  options: { body?: unknown; token?: string | null; headers?: Record<string, string> } = {},
): Promise<ApiAnswer<T>> {
  const { token = ADMIN_TOKEN } = options;
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(options.body === undefined
      ? {}
      : { body: typeof options.body === 'string' ? options.body : JSON.stringify(options.body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parse(text) as T };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Starts a Run; fails unless it was accepted. */
export async function ask(
  baseUrl: string,
  query: string,
  more: Record<string, unknown> = {},
): Promise<string> {
  const answer = await call<{ runId: string }>(baseUrl, 'POST', '/api/chat', { body: { query, ...more } });
  if (answer.status !== 202)
    throw new Error(`POST /api/chat answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body.runId;
}

/** Follows a Run's frames to the end of the stream. */
export async function follow(
  baseUrl: string,
  runId: string,
  options: { after?: number; token?: string; onFrame?: (frame: SseFrame) => void; signal?: AbortSignal } = {},
): Promise<SseFrame[]> {
  const response = await fetch(`${baseUrl}/api/runs/${runId}/events`, {
    headers: {
      authorization: `Bearer ${options.token ?? ADMIN_TOKEN}`,
      accept: 'text/event-stream',
      ...(options.after === undefined ? {} : { 'last-event-id': String(options.after) }),
    },
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  if (response.status === 204) return [];
  if (response.status !== 200 || response.body === null)
    throw new Error(`the stream answered ${response.status}`);
  return readFrames(response.body, options.onFrame);
}

export async function readFrames(
  body: ReadableStream<Uint8Array>,
  onFrame?: (frame: SseFrame) => void,
): Promise<SseFrame[]> {
  const frames: SseFrame[] = [];
  const parser = createParser({
    onEvent: ({ id, event, data }) => {
      const frame = { id: Number(id), event: event ?? '', data: JSON.parse(data) as Record<string, unknown> };
      frames.push(frame);
      onFrame?.(frame);
    },
  });
  const decoder = new TextDecoder();
  for await (const chunk of body) parser.feed(decoder.decode(chunk, { stream: true }));
  return frames;
}

export async function readRun(baseUrl: string, runId: string): Promise<RunView> {
  return (await call<RunView>(baseUrl, 'GET', `/api/runs/${runId}`)).body;
}

/** Asks, follows to the end, and reads the finished Run. */
export async function diagnose(
  baseUrl: string,
  query: string,
  more: Record<string, unknown> = {},
): Promise<{ run: RunView; frames: SseFrame[] }> {
  const runId = await ask(baseUrl, query, more);
  const frames = await follow(baseUrl, runId);
  return { run: await readRun(baseUrl, runId), frames };
}
