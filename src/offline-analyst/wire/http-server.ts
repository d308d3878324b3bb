/** The analyst behind the OpenAI wire: `POST /v1/chat/completions` and `GET /v1/models`, on loopback. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ANALYST_MODEL } from '../analyst-answer.js';
import { answer } from '../answer.js';
import { readChatRequest, type ChatRequest } from './chat-request.js';
import { completion, completionChunks, usageOf } from './completion.js';

/** Above the largest transcript that a Run's budgets allow. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const CLOSE_GRACE_MS = 3000;

export interface AnalystServer {
  port: number;
  /** Takes no more requests, lets open ones end within three seconds, then cuts them. Safe to call twice. */
  close(): Promise<void>;
}

export interface AnalystServerOptions {
  /** 0: a free one. */
  port: number;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** Resolves once it listens. @throws the listen error, e.g. EADDRINUSE. */
export async function startAnalystServer(options: AnalystServerOptions): Promise<AnalystServer> {
  let served = 0;
  const server = createServer((request, response) => {
    served += 1;
    const head = { id: `chatcmpl-offline-${served}`, created: Math.floor(options.now() / 1000) };
    // A client that goes away while it is being answered is no fault of ours.
    response.on('error', () => response.destroy());
    handle(request, response, head).catch(() => {
      fail(response, 500, 'server_error', 'The offline analyst could not answer this request.');
    });
  });
  server.requestTimeout = 30_000;
  server.headersTimeout = 10_000;
  await listen(server, options.port);
  let closing: Promise<void> | undefined;
  return {
    port: (server.address() as AddressInfo).port,
    close: () => (closing ??= closeServer(server)),
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS);
  await closed;
  clearTimeout(cut);
}

interface Head {
  id: string;
  created: number;
}

async function handle(request: IncomingMessage, response: ServerResponse, head: Head): Promise<void> {
  const path = (request.url ?? '').split('?', 1)[0];
  const route = `${request.method ?? ''} ${path ?? ''}`;
  if (route === 'GET /v1/models') {
    const model = { id: ANALYST_MODEL, object: 'model', created: 0, owned_by: 'sworn' };
    sendJson(response, 200, { object: 'list', data: [model] });
    return;
  }
  if (route !== 'POST /v1/chat/completions') {
    fail(response, 404, 'invalid_request_error', `There is nothing at ${route.slice(0, 200)}.`);
    return;
  }
  const body = await readBody(request);
  if (body === null) {
    response.setHeader('Connection', 'close');
    fail(response, 413, 'invalid_request_error', `The body is larger than ${MAX_BODY_BYTES} bytes.`);
    return;
  }
  const stage = request.headers['x-sworn-stage'];
  const read = readChatRequest(body, typeof stage === 'string' ? stage : undefined);
  if (!read.ok) fail(response, 400, 'invalid_request_error', read.message);
  else complete(response, head, read.request);
}

function complete(response: ServerResponse, head: Head, request: ChatRequest): void {
  const said = answer(request.stage, request.messages, request.tools);
  const usage = usageOf(request.messages, said);
  if (!request.stream) {
    sendJson(response, 200, completion(head, said, usage));
    return;
  }
  const chunks = completionChunks(head, said, request.includeUsage ? usage : null);
  response.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
  });
  response.end(
    [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`).join(''),
  );
}

/** Null when it is too large; the rest of it is not read then. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let size = 0;
  // The connection must live on to carry the refusal, so leaving the loop does not destroy it.
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MAX_BODY_BYTES) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  const body = JSON.stringify(value);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
}

function fail(response: ServerResponse, status: number, type: string, message: string): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  sendJson(response, status, { error: { message, type, param: null, code: null } });
}
