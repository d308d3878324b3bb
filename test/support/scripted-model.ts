/**
 * A strict scripted model: a real server on loopback behind the OpenAI wire. An unscripted call, or a script that nobody
 * asked for, fails the test through {@link ScriptedModel.assertConsumed}.
 *
 *     const model = await startScriptedModel();
 *     model.next('router', json({ intent: 'DIAGNOSIS', reason: 'r' }));
 *     model.next('diagnosis', calls({ id: 'c1', name: 'log_search', arguments: {…} }), json(draft));
 *     model.always('semantic', (request) => json({ verdict: 'SUPPORTED', reason: String(request.attempt) }));
 *     …
 *     model.assertConsumed();
 *
 * `next` queues answers of a stage in order; an answer may be a function of the request. `only(marker)` gives a view whose
 * scripts answer requests that hold the marker (e.g. a word of the question), for Runs side by side.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Stage } from '../../src/shared/ports/model-client.js';
import { send, text, type Answer } from './scripted-answers.js';

export * from './scripted-answers.js';

export interface RecordedRequest {
  stage: Stage;
  runId: string;
  attempt: number;
  /** The body's bytes. */
  body: string;
  messages: { role: string; content: string | null; tool_calls?: { id: string }[] }[];
  stream: boolean;
  headers: IncomingMessage['headers'];
  /** Resolves when the client has closed the connection before the answer ended. */
  closed: Promise<void>;
}

export type Script = Answer | ((request: RecordedRequest) => Answer | Promise<Answer>);

interface Scripted {
  stage: Stage;
  marker: string;
  script: Script;
  always: boolean;
}

export interface ScriptedView {
  next(stage: Stage, ...scripts: Script[]): void;
  always(stage: Stage, script: Script): void;
}

export interface ScriptedModel extends ScriptedView {
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  only(marker: string): ScriptedView;
  /** Throws when a call was unscripted or a script is left over; then forgets all. */
  assertConsumed(): void;
  /** Forgets scripts and requests. */
  reset(): void;
  close(): Promise<void>;
}

export async function startScriptedModel(): Promise<ScriptedModel> {
  const scripts: Scripted[] = [];
  const requests: RecordedRequest[] = [];
  const faults: string[] = [];
  const server = createServer((request, response) => {
    answer(request, response, scripts, requests, faults).catch((error: unknown) => {
      faults.push(String(error));
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const view = (marker: string): ScriptedView => ({
    next: (stage, ...list) => {
      for (const script of list) scripts.push({ stage, marker, script, always: false });
    },
    always: (stage, script) => {
      scripts.push({ stage, marker, script, always: true });
    },
  });
  const reset = (): void => {
    scripts.length = 0;
    requests.length = 0;
    faults.length = 0;
  };
  return {
    ...view(''),
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    only: view,
    reset,
    assertConsumed: () => {
      const left = scripts
        .filter(({ always }) => !always)
        .map(({ stage }) => `an answer for ${stage} was not asked for`);
      const all = [...faults, ...left];
      reset();
      if (all.length > 0) throw new Error(all.join('; '));
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  scripts: Scripted[],
  requests: RecordedRequest[],
  faults: string[],
): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    response.on('close', () => {
      if (!response.writableEnded) resolve();
    });
  });
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const recorded = record(request, Buffer.concat(chunks).toString('utf8'), closed);
  requests.push(recorded);
  const index = scripts.findIndex(
    ({ stage, marker }) => stage === recorded.stage && recorded.body.includes(marker),
  );
  const scripted = scripts[index];
  if (scripted === undefined) {
    faults.push(`an unscripted call of ${recorded.stage}`);
    send(response, recorded.stream, text('unscripted', { status: 418 }));
    return;
  }
  if (!scripted.always) scripts.splice(index, 1);
  const { script } = scripted;
  send(response, recorded.stream, typeof script === 'function' ? await script(recorded) : script);
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
