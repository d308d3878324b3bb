/** Answers of the scripted model as values, and how each goes over the wire, streamed or whole. */
import type { ServerResponse } from 'node:http';

export interface ScriptedCall {
  id: string;
  name: string;
  /** A string goes as it is, anything else as JSON. */
  arguments: unknown;
}

export type Answer =
  | {
      kind: 'completion';
      content: unknown;
      calls: readonly ScriptedCall[];
      finishReason: string | null;
      usage: { prompt_tokens: number; completion_tokens: number } | null;
      message?: Readonly<Record<string, unknown>>;
    }
  /** Bytes as they are. */
  | { kind: 'raw'; status: number; headers: Readonly<Record<string, string>>; body: string }
  /** Nothing, ever. */
  | { kind: 'hang' }
  /** Bytes as they are, each part in a write of its own; `end` as below. */
  | {
      kind: 'parts';
      status: number;
      headers: Readonly<Record<string, string>>;
      parts: readonly (string | Uint8Array)[];
      end: AnswerEnd;
    }
  /** Streamed events as they are; `end` says whether the response ends after them, breaks off, or stays open. */
  | { kind: 'chunks'; chunks: readonly unknown[]; end: AnswerEnd };

export type AnswerEnd = 'end' | 'destroy' | 'open';

const USAGE = { prompt_tokens: 100, completion_tokens: 20 };

export function text(
  content: unknown,
  change: { finishReason?: string | null; status?: number } = {},
): Answer {
  if (change.status !== undefined && change.status !== 200)
    return {
      kind: 'raw',
      status: change.status,
      headers: {},
      body: JSON.stringify({ error: { message: content } }),
    };
  const { finishReason = 'stop' } = change;
  return { kind: 'completion', content, calls: [], finishReason, usage: USAGE };
}

export const json = (value: unknown): Answer => text(JSON.stringify(value));

export function calls(...list: ScriptedCall[]): Answer {
  return { kind: 'completion', content: null, calls: list, finishReason: 'tool_calls', usage: USAGE };
}

export const hang = (): Answer => ({ kind: 'hang' });

export function raw(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { kind: 'raw', status, headers, body };
}

/** A body cut wherever one likes, e.g. inside an event or a character. */
export function parts(
  list: readonly (string | Uint8Array)[],
  change: { end?: AnswerEnd; status?: number; headers?: Readonly<Record<string, string>> } = {},
): Answer {
  const { end = 'end', status = 200, headers = { 'content-type': 'text/event-stream' } } = change;
  return { kind: 'parts', status, headers, parts: list, end };
}

export const chunks = (list: readonly unknown[], end: AnswerEnd = 'end'): Answer => ({
  kind: 'chunks',
  chunks: list,
  end,
});

/** The same answer with other usage, or without. */
export function withUsage(answer: Answer, usage: typeof USAGE | null): Answer {
  return answer.kind === 'completion' ? { ...answer, usage } : answer;
}

export function send(response: ServerResponse, stream: boolean, answer: Answer): void {
  switch (answer.kind) {
    case 'hang':
      return;
    case 'raw':
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
      response.end(answer.body);
      return;
    case 'parts':
      response.writeHead(answer.status, answer.headers);
      response.flushHeaders();
      writeParts(response, answer.parts, answer.end);
      return;
    case 'chunks':
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const chunk of answer.chunks) event(response, chunk);
      if (answer.end === 'end') response.end('data: [DONE]\n\n');
      // The bytes above must leave before the connection breaks.
      if (answer.end === 'destroy') response.write('', () => response.destroy());
      return;
    case 'completion':
      if (stream) streamed(response, answer);
      else whole(response, answer);
  }
}

/** The next part goes once the one before it has left, so that the client reads them one by one. */
function writeParts(
  response: ServerResponse,
  [first, ...rest]: readonly (string | Uint8Array)[],
  end: AnswerEnd,
): void {
  if (response.destroyed) return;
  if (first !== undefined) response.write(first, () => setImmediate(() => writeParts(response, rest, end)));
  else if (end === 'end') response.end();
  else if (end === 'destroy') response.destroy();
}

type Completion = Extract<Answer, { kind: 'completion' }>;

const head = { id: 'chatcmpl-1', created: 1, model: 'scripted-1' };
const wireArguments = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function whole(response: ServerResponse, answer: Completion): void {
  const toolCalls = answer.calls.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: wireArguments(call.arguments) },
  }));
  const message = {
    role: 'assistant',
    content: answer.content,
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
    ...answer.message,
  };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: answer.finishReason }],
      ...(answer.usage === null ? {} : { usage: answer.usage }),
    }),
  );
}

function streamed(response: ServerResponse, answer: Completion): void {
  const delta = (value: unknown, finishReason: string | null = null): void => {
    event(response, {
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: value, finish_reason: finishReason }],
    });
  };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  delta({ role: 'assistant', ...answer.message });
  if (typeof answer.content === 'string') for (const part of pieces(answer.content)) delta({ content: part });
  else if (answer.content !== null) delta({ content: answer.content });
  answer.calls.forEach((call, index) => {
    delta({
      tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }],
    });
    for (const part of pieces(wireArguments(call.arguments)))
      delta({ tool_calls: [{ index, function: { arguments: part } }] });
  });
  if (answer.finishReason !== null) delta({}, answer.finishReason);
  if (answer.usage !== null)
    event(response, { ...head, object: 'chat.completion.chunk', choices: [], usage: answer.usage });
  response.end('data: [DONE]\n\n');
}

function event(response: ServerResponse, value: unknown): void {
  response.write(`data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`);
}

function pieces(value: string): string[] {
  return value.match(/.{1,256}/gsu) ?? [];
}
