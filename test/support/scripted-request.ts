/** A request as the scripted model got it. */
import type { IncomingMessage } from 'node:http';
import type { Stage } from '../../src/shared/ports/model-client.js';

const MAX_BODY_BYTES = 16 * 1024 * 1024;

export interface RecordedMessage {
  role: string;
  content: string | null;
  tool_calls?: { id: string }[];
  tool_call_id?: string;
}

export interface RecordedRequest {
  stage: Stage;
  runId: string;
  attempt: number;
  /** The body's bytes. */
  body: string;
  messages: RecordedMessage[];
  stream: boolean;
  headers: IncomingMessage['headers'];
  /** Resolves when the client has closed the connection before the answer ended. */
  closed: Promise<void>;
}

/** Rejects when the body is no JSON, is too long, or never ends because the client is gone. */
export async function readRequest(request: IncomingMessage, closed: Promise<void>): Promise<RecordedRequest> {
  return record(request, await readBody(request), closed);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error(`a call sent more than ${MAX_BODY_BYTES} bytes`);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function record(request: IncomingMessage, body: string, closed: Promise<void>): RecordedRequest {
  const header = (name: string): string => String(request.headers[name] ?? '');
  const parsed = JSON.parse(body) as { messages: RecordedRequest['messages']; stream?: boolean };
  return {
    stage: header('x-sworn-stage') as Stage,
    runId: header('x-sworn-run'),
    attempt: Number(header('x-sworn-attempt')),
    body,
    messages: parsed.messages,
    stream: parsed.stream === true,
    headers: request.headers,
    closed,
  };
}
