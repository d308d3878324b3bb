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
 * `next` queues answers of a stage in order, `always` answers what no queued one does; an answer may be a function of the
 * request, and may wait. `only(marker)` gives a view whose scripts answer requests of that Run, or whose body holds the
 * marker (e.g. a word of the question), for Runs side by side. Oddities: `raw` (status, headers, body), `parts` (a body cut
 * anywhere), `chunks` (streamed events as they are), `hang`; the latter three can also break off or stay open.
 *
 * A request that a careful endpoint would refuse (a tool message that answers no call, a call without its answer, no key)
 * is a fault too: see `scripted-wire-check.ts`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { Stage } from '../../src/shared/ports/model-client.js';
import { send, text, type Answer } from './scripted-answers.js';
import { readRequest, type RecordedRequest } from './scripted-request.js';
import { wireFaults } from './scripted-wire-check.js';

export * from './scripted-answers.js';
export type { RecordedMessage, RecordedRequest } from './scripted-request.js';

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
  /** Connections opened so far. */
  connections(): number;
  /** Connections open now. */
  openConnections(): Promise<number>;
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
  // Idle connections are the client's to close.
  server.keepAliveTimeout = 60_000;
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
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
    connections: () => connections,
    openConnections: promisify(server.getConnections.bind(server)),
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
  const recorded = await readRequest(request, closed);
  requests.push(recorded);
  const malformed = wireFaults(recorded);
  if (malformed.length > 0) {
    faults.push(...malformed.map((fault) => `a call of ${recorded.stage}: ${fault}`));
    send(response, recorded.stream, text(malformed.join('; '), { status: 400 }));
    return;
  }
  const scripted = take(scripts, recorded);
  if (scripted === undefined) {
    faults.push(`an unscripted call of ${recorded.stage} (attempt ${recorded.attempt} of ${recorded.runId})`);
    send(response, recorded.stream, text('unscripted', { status: 418 }));
    return;
  }
  const { script } = scripted;
  send(response, recorded.stream, typeof script === 'function' ? await script(recorded) : script);
}

/** The oldest queued script that fits, and takes it off; else a lasting one. */
function take(scripts: Scripted[], request: RecordedRequest): Scripted | undefined {
  const fits = ({ stage, marker }: Scripted): boolean =>
    stage === request.stage && (request.runId === marker || request.body.includes(marker));
  const index = scripts.findIndex((scripted) => !scripted.always && fits(scripted));
  return index < 0
    ? scripts.findLast((scripted) => scripted.always && fits(scripted))
    : scripts.splice(index, 1)[0];
}
