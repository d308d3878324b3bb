import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { expect } from 'chai';
import { ask } from '../../src/cli/client/ask.js';
import { ClientFault } from '../../src/cli/client/client-fault.js';
import { createRunClient, type RunClient, type RunClientOptions } from '../../src/cli/client/run-client.js';
import type { RunFrame } from '../../src/cli/client/run-frame.js';
import { runView } from './sample-runs.js';

const RUN = runView({});
const AT = '2026-03-04T06:00:00.000Z';
type Handler = (request: IncomingMessage, response: ServerResponse) => void;

function sse(seq: number, event: string, data: object): string {
  return `id: ${seq}\nevent: ${event}\ndata: ${JSON.stringify({ runId: RUN.runId, seq, at: AT, ...data })}\n\n`;
}
const FRAMES = [
  sse(1, 'metadata', { sessionId: RUN.sessionId }),
  sse(2, 'status', { status: 'RUNNING' }),
  sse(3, 'review', { stage: 'evidence', outcome: 'passed' }),
  sse(4, 'done', { status: 'COMPLETED', releaseOutcome: 'SUCCESS' }),
];

describe('FL-4 the client of the event stream', () => {
  let server: Server;
  let handler: Handler;
  let baseUrl: string;
  let requests: IncomingMessage[];

  beforeEach(async () => {
    requests = [];
    server = createServer((request, response) => {
      requests.push(request);
      handler(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no address');
    baseUrl = `http://127.0.0.1:${address.port}`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  const client = (options: Partial<RunClientOptions> = {}): RunClient =>
    createRunClient({ baseUrl, token: 'swt_test', reconnectMs: 1, ...options });
  const followed = async (
    options: Partial<RunClientOptions> = {},
    signal?: AbortSignal,
  ): Promise<RunFrame[]> => {
    const frames: RunFrame[] = [];
    for await (const frame of client(options).follow(RUN.runId, signal)) frames.push(frame);
    return frames;
  };
  const events = async (options: Partial<RunClientOptions> = {}): Promise<string[]> =>
    (await followed(options)).map(({ seq, event }) => `${seq} ${event}`);
  const fault = async (work: Promise<unknown>): Promise<ClientFault> => {
    const outcome = await work.catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(ClientFault);
    return outcome as ClientFault;
  };
  const stream = (response: ServerResponse): ServerResponse =>
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  const json = (response: ServerResponse, status: number, body: unknown): void => {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  };

  const WHOLE = ['1 metadata', '2 status', '3 review', '4 done'];

  it('gives each frame once, whatever the chunks, comments and unknown events between', async () => {
    const bytes = Buffer.from(
      `retry: 5\n\n: beat\n\n${FRAMES.slice(0, 2).join('')}id: 3\nevent: weather\ndata: {"t":"ü"}\n\n${FRAMES.slice(2).join('')}`,
    );
    handler = (_, response) => {
      stream(response);
      for (const byte of bytes) response.write(Buffer.of(byte));
      response.end();
    };
    expect(await events()).to.deep.equal(WHOLE);
    expect(requests[0]?.headers).to.include({
      authorization: 'Bearer swt_test',
      accept: 'text/event-stream',
    });
    expect(requests[0]?.headers).to.not.have.property('last-event-id');
  });

  it('resumes after the last frame that it saw, and drops what it saw already', async () => {
    handler = (request, response) => {
      if (request.headers['last-event-id'] === undefined) {
        stream(response).write(`${FRAMES[0] ?? ''}${FRAMES[1] ?? ''}${(FRAMES[2] ?? '').slice(0, 20)}`, () =>
          response.destroy(),
        );
      } else stream(response).end(FRAMES.slice(1).join(''));
    };
    expect(await events()).to.deep.equal(WHOLE);
    expect(requests[1]?.headers['last-event-id']).to.equal('2');
  });

  it('ends on 204, and when the server closes after done without waiting for it', async () => {
    handler = (_, response) => response.writeHead(204).end();
    expect(await events()).to.deep.equal([]);
    handler = (_, response) => stream(response).write(FRAMES.join(''));
    expect(await events()).to.deep.equal(WHOLE);
  });

  it('reconnects when nothing comes for too long, but heartbeats keep a connection', async () => {
    handler = (request, response) => {
      if (request.headers['last-event-id'] === undefined) stream(response).write(FRAMES[0] ?? '');
      else stream(response).end(FRAMES.slice(1).join(''));
    };
    expect(await events({ idleTimeoutMs: 60 })).to.deep.equal(WHOLE);
    expect(requests).to.have.length(2);
    requests.length = 0;
    handler = (_, response) => {
      stream(response).write(FRAMES[0] ?? '');
      let beats = 0;
      const timer = setInterval(() => {
        beats += 1;
        response.write(': beat\n\n');
        if (beats === 14) {
          clearInterval(timer);
          response.end(FRAMES.slice(1).join(''));
        }
      }, 100);
    };
    expect(await events({ idleTimeoutMs: 1000 })).to.deep.equal(WHOLE);
    expect(requests).to.have.length(1);
  });

  it('gives up after fruitless connections in a row, with a code', async () => {
    handler = (_, response) => response.destroy();
    expect((await fault(followed({ maxFruitlessConnections: 3 }))).code).to.equal('UNREACHABLE');
    expect(requests).to.have.length(3);
  });

  it('does not take a refusal, broken data or another media for a lost connection', async () => {
    handler = (_, response) =>
      json(response, 404, {
        type: 'about:blank',
        status: 404,
        title: 't',
        detail: 'no such Run',
        code: 'NOT_FOUND',
      });
    const refused = await fault(followed());
    expect(refused.code).to.equal('REFUSED');
    expect(refused.problem?.code).to.equal('NOT_FOUND');
    for (const body of [
      'data: {"x"\nevent: done\n\n',
      sse(1, 'done', { status: 'COMPLETED', releaseOutcome: 'SUCCESS', reason: 'leak' }),
    ]) {
      handler = (_, response) => stream(response).end(body);
      expect((await fault(followed())).code).to.equal('UNEXPECTED_ANSWER');
    }
    handler = (_, response) =>
      response.writeHead(502, { 'Content-Type': 'text/html' }).end('<html>bad gateway</html>');
    expect((await fault(followed())).code).to.equal('UNEXPECTED_ANSWER');
  });

  it('bounds what it keeps of an event that does not end', async () => {
    handler = (_, response) => {
      stream(response);
      const more = (): void => {
        while (!response.destroyed && response.write('data: x'.padEnd(1 << 20, 'x')));
      };
      response.on('drain', more);
      more();
    };
    expect((await fault(followed())).code).to.equal('UNEXPECTED_ANSWER');
  });

  it('CA-1 ends at once when its caller aborts, and closes the connection', async () => {
    const abort = new AbortController();
    const closed = new Promise<void>((resolve) => {
      handler = (_, response) => {
        response.on('close', () => {
          resolve();
        });
        stream(response).write(FRAMES[0] ?? '', () => {
          abort.abort();
        });
      };
    });
    const outcome = await followed({}, abort.signal).catch((error: unknown) => error);
    expect(outcome).to.equal(abort.signal.reason);
    await closed;
  });

  it('asks, follows and reads, with the request as the contract has it', async () => {
    let body = '';
    handler = (request, response) => {
      if (request.method === 'POST') {
        request.on('data', (chunk: Buffer) => (body += chunk.toString()));
        request.on('end', () => {
          json(response, 202, {
            sessionId: RUN.sessionId,
            runId: RUN.runId,
            status: 'QUEUED',
            links: { run: 'r', events: 'e', trace: 't', cancel: 'c' },
          });
        });
      } else if (request.url?.endsWith('/events') === true) stream(response).end(FRAMES.join(''));
      else json(response, 200, RUN);
    };
    const seen: string[] = [];
    const run = await ask(client(), { query: 'Why?' }, (frame) => seen.push(frame.event));
    expect(run).to.deep.equal(RUN);
    expect(seen).to.deep.equal(['metadata', 'status', 'review', 'done']);
    expect(JSON.parse(body)).to.deep.equal({ query: 'Why?' });
    expect(requests.map(({ method, url }) => `${method ?? ''} ${url ?? ''}`)).to.deep.equal([
      'POST /api/chat',
      `GET /api/runs/${RUN.runId}/events`,
      `GET /api/runs/${RUN.runId}`,
    ]);
  });

  it('names each fault of a refused request, and refuses answers that break the contract', async () => {
    handler = (_, response) =>
      json(response, 400, {
        type: 'about:blank',
        status: 400,
        title: 't',
        detail: 'The request is not valid',
        code: 'INVALID_REQUEST',
        errors: [{ path: 'query', message: 'must not be empty' }],
      });
    expect((await fault(client().start({ query: '' }))).message).to.contain('query: must not be empty');
    handler = (_, response) => json(response, 200, { ...RUN, surprise: 1 });
    expect((await fault(client().read(RUN.runId))).code).to.equal('UNEXPECTED_ANSWER');
    handler = () => undefined;
    expect((await fault(client({ requestTimeoutMs: 50 }).read(RUN.runId))).code).to.equal('UNREACHABLE');
  });

  it('takes a Run that has ended meanwhile for cancelled, any other refusal not', async () => {
    const problem = (code: string) => ({ type: 'about:blank', status: 409, title: 't', detail: 'd', code });
    handler = (_, response) => json(response, 409, problem('RUN_FINISHED'));
    await client().cancel(RUN.runId);
    handler = (_, response) => json(response, 403, { ...problem('FORBIDDEN'), status: 403 });
    expect((await fault(client().cancel(RUN.runId))).problem?.code).to.equal('FORBIDDEN');
  });
});
