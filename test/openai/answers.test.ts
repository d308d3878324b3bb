/** Answers as providers send them, over the real wire, streamed and whole. */
import { expect } from 'chai';
import type { ClosableModelClient } from '../../src/shared/adapters/openai/model-client.js';
import type { ModelReply } from '../../src/shared/ports/model-client.js';
import {
  calls,
  chunks,
  json,
  parts,
  raw,
  startScriptedModel,
  text,
  withUsage,
  type Answer,
  type ScriptedModel,
} from '../support/scripted-model.js';
import { clientOf, failureIn, KEY, never, replyOf, requestOf } from './model-case.js';

const chunk = (delta: unknown, finishReason: string | null = null): string =>
  `data: ${JSON.stringify({ model: 'm', choices: [{ index: 0, delta, finish_reason: finishReason }] })}\n\n`;
const SAID = chunk({ role: 'assistant', content: 'grüß 👋' }) + chunk({}, 'stop') + 'data: [DONE]\n\n';

describe('RT-1 the model client reads what providers send', () => {
  let model: ScriptedModel;
  let streaming: ClosableModelClient;
  let whole: ClosableModelClient;

  before(async () => {
    model = await startScriptedModel();
    streaming = clientOf(model.url);
    whole = clientOf(model.url, { stream: false });
  });

  afterEach(() => {
    model.assertConsumed();
  });

  after(async () => {
    await Promise.all([streaming.close(), whole.close()]);
    await model.close();
  });

  async function ask(client: ClosableModelClient, answer: Answer): Promise<ModelReply> {
    model.next('diagnosis', answer);
    return replyOf(await client.complete(requestOf(), never()));
  }

  async function failed(
    client: ClosableModelClient,
    answer: Answer,
  ): Promise<{ kind: string; detail: string }> {
    model.next('diagnosis', answer);
    const { kind, detail } = failureIn(await client.complete(requestOf(), never()));
    expect(detail)
      .to.match(/^127\.0\.0\.1:\d+: /)
      .and.not.to.contain(KEY);
    return { kind, detail };
  }

  for (const mode of ['streamed', 'whole'] as const) {
    const client = (): ClosableModelClient => (mode === 'streamed' ? streaming : whole);

    describe(mode, () => {
      it('names its stage, Run and attempt, the stage’s model and the key', async () => {
        for (const stage of ['router', 'diagnosis', 'knowledge', 'repair', 'semantic'] as const) {
          model.next(stage, text('x'));
          replyOf(await client().complete(requestOf({ stage, runId: 'run-7', attempt: 2 }), never()));
          const sent = model.requests.at(-1)!;
          expect(sent).to.include({ stage, runId: 'run-7', attempt: 2, stream: mode === 'streamed' });
          expect(sent.headers.authorization).to.equal(`Bearer ${KEY}`);
          expect(JSON.parse(sent.body)).to.include({ model: `model-${stage}` });
        }
      });

      it('SG-4 sends byte-identical bodies for both attempts', async () => {
        model.next('semantic', text('1'), text('2'));
        for (const attempt of [1, 2])
          await client().complete(requestOf({ stage: 'semantic', attempt }), never());
        const [first, second] = model.requests;
        expect(second?.body).to.equal(first?.body);
        expect([first?.attempt, second?.attempt]).to.deep.equal([1, 2]);
      });

      it('gives text, model, usage and finish_reason', async () => {
        expect(await ask(client(), text('grüß 👋'))).to.deep.equal({
          model: 'scripted-1',
          content: 'grüß 👋',
          toolCalls: [],
          finishReason: 'stop',
          refused: false,
          usage: { promptTokens: 100, completionTokens: 20 },
        });
        expect((await ask(client(), withUsage(text('x'), null))).usage).to.equal(null);
      });

      it('gives tool calls, whose arguments may be no JSON', async () => {
        const reply = await ask(
          client(),
          calls({ id: 'c1', name: 'log_search', arguments: '{"que' }, { id: '', name: '', arguments: {} }),
        );
        expect(reply).to.include({ content: '', finishReason: 'tool_calls' });
        expect(reply.toolCalls).to.deep.equal([
          { id: 'c1', name: 'log_search', arguments: '{"que' },
          { id: '', name: '', arguments: '{}' },
        ]);
      });

      it('takes content that is null, empty or parts', async () => {
        expect((await ask(client(), text(null))).content).to.equal('');
        expect((await ask(client(), text(''))).content).to.equal('');
        expect(
          (
            await ask(
              client(),
              text([
                { type: 'text', text: 'a' },
                { type: 'text', text: 'b' },
              ]),
            )
          ).content,
        ).to.equal('ab');
      });

      it('takes length and content_filter for what they are', async () => {
        for (const finishReason of ['length', 'content_filter'])
          expect((await ask(client(), text('cut', { finishReason }))).finishReason).to.equal(finishReason);
      });

      it('is not answered without a finish_reason, or with one it does not know', async () => {
        expect(await failed(client(), text('x', { finishReason: null }))).to.include({ kind: 'transport' });
        const unknown = await failed(client(), text('x', { finishReason: 'eos_token' }));
        expect(unknown.kind).to.equal('transport');
        expect(unknown.detail).to.contain('eos_token');
      });

      it('takes an error under status 200 for a transport failure', async () => {
        const body = JSON.stringify({ error: { message: 'overloaded, says the endpoint', code: 503 } });
        const failure = await failed(client(), raw(200, body));
        expect(failure.kind).to.equal('transport');
        expect(failure.detail).not.to.contain('overloaded');
        expect(await failed(client(), parts([`data: ${body}\n\n`]))).to.include({ kind: 'transport' });
        const named = 'event: error\ndata: {"message":"overloaded"}\n\n';
        expect(await failed(client(), parts([chunk({ content: 'x' }, 'stop'), named]))).to.include({
          kind: 'transport',
        });
      });

      it('takes an answer of the other form than was asked for', async () => {
        expect((await ask(client(), parts([SAID]))).content).to.equal('grüß 👋');
        const completion = { model: 'm', choices: [{ message: { content: 'one' }, finish_reason: 'stop' }] };
        expect((await ask(client(), raw(200, JSON.stringify(completion)))).content).to.equal('one');
      });

      it('takes an answer without a content type, after blank lines that keep the connection alive', async () => {
        const completion = JSON.stringify({
          choices: [{ message: { content: 'one' }, finish_reason: 'stop' }],
        });
        expect((await ask(client(), parts(['\n', '\n\n', completion], { headers: {} }))).content).to.equal(
          'one',
        );
        expect((await ask(client(), parts([': wait\n\n', '\n', SAID], { headers: {} }))).content).to.equal(
          'grüß 👋',
        );
      });

      it('refuses a web page, an empty body and other text, naming OPENAI_BASE_URL', async () => {
        const html = { 'content-type': 'text/html' };
        for (const answer of [
          raw(200, '<!doctype html><title>Sign in</title>', html),
          raw(200, '\n <html></html>'),
          raw(200, ''),
          raw(200, ' \n', html),
          raw(200, 'Ollama is running', { 'content-type': 'text/plain' }),
        ]) {
          const failure = await failed(client(), answer);
          expect(failure.kind, JSON.stringify(answer)).to.equal('rejected');
          expect(failure.detail).to.contain('OPENAI_BASE_URL').and.not.to.contain('Sign in');
        }
      });

      it('takes broken JSON and JSON of another kind for a transport failure', async () => {
        for (const body of ['{"choices": [', '{"choices": []}', '{}', '[]', '{"message": "hello"}'])
          expect(await failed(client(), raw(200, body)), body).to.include({ kind: 'transport' });
      });

      it('takes an answer that breaks off for a transport failure', async () => {
        const head = { 'content-type': 'application/json', 'content-length': '500' };
        expect(
          await failed(client(), parts(['{"choices": ['], { end: 'destroy', headers: head })),
        ).to.include({ kind: 'transport' });
        expect(await failed(client(), parts([chunk({ content: 'half an' })], { end: 'destroy' }))).to.include(
          { kind: 'transport' },
        );
        expect(await failed(client(), parts([chunk({ content: 'half an' })]))).to.include({
          kind: 'transport',
        });
        expect(await failed(client(), parts([]))).to.include({ kind: 'transport' });
      });

      it('takes an answer that is too long for a transport failure, without reading it to its end', async () => {
        model.next('diagnosis', text('x'.repeat(101)), text('x'.repeat(100)));
        const limited = requestOf({ maxOutputBytes: 100 });
        expect(failureIn(await client().complete(limited, never()))).to.include({ kind: 'transport' });
        expect(replyOf(await client().complete(limited, never())).content).to.have.length(100);
        const endless = chunk({ content: 'x'.repeat(64) }).repeat(4);
        model.next('diagnosis', parts([endless], { end: 'open' }));
        expect(failureIn(await client().complete(limited, never()))).to.include({ kind: 'transport' });
        await model.requests.at(-1)!.closed;
        const line = 'x'.repeat(1024 * 1024);
        for (const start of ['data: {"', '{"', ': ']) {
          model.next('diagnosis', parts([start, ...Array.from({ length: 6 }, () => line)], { end: 'open' }));
          expect(failureIn(await client().complete(limited, never())).detail).to.contain('too long');
          await model.requests.at(-1)!.closed;
        }
      });
    });
  }

  it('reads a stream however it is cut: inside events, lines and characters', async () => {
    const bytes = Buffer.from(`\uFEFF: comment\r\n\r\nretry: 5\n${SAID}`);
    for (const size of [1, 2, 3, 7]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      expect((await ask(streaming, parts(pieces))).content, `pieces of ${size}`).to.equal('grüß 👋');
    }
    expect((await ask(streaming, parts([SAID.replaceAll('\n', '\r\n')]))).content).to.equal('grüß 👋');
  });

  it('reads a stream without [DONE], and without its last blank line', async () => {
    expect((await ask(streaming, parts([chunk({ content: 'a' }), chunk({}, 'stop')]))).content).to.equal('a');
    expect(
      (await ask(streaming, parts([chunk({ content: 'a' }), chunk({}, 'stop').trimEnd()]))).content,
    ).to.equal('a');
  });

  it('takes an answer for whole once it has its finish_reason, even when the stream then breaks or stays open', async () => {
    const answered = chunk({ content: 'a' }) + chunk({}, 'stop');
    expect((await ask(streaming, parts([answered], { end: 'destroy' }))).content).to.equal('a');
    expect((await ask(streaming, parts([answered], { end: 'open' }))).content).to.equal('a');
    await model.requests.at(-1)!.closed;
    expect((await ask(streaming, parts([SAID], { end: 'open' }))).content).to.equal('grüß 👋');
    await model.requests.at(-1)!.closed;
  });

  it('is not answered by a stream that is done without a finish_reason, and does not wait for its end', async () => {
    const done = parts([chunk({ content: 'half' }), 'data: [DONE]\n\n'], { end: 'open' });
    expect(await failed(streaming, done)).to.include({ kind: 'transport' });
    await model.requests.at(-1)!.closed;
  });

  it('fails on an event that is no JSON, and says nothing of it', async () => {
    const failure = await failed(streaming, chunks(['{"choices": [{"delta"']));
    expect(failure).to.include({ kind: 'transport' });
    expect(failure.detail).not.to.contain('delta');
  });

  it('SE-1 writes nothing of an answer to the console, whatever its events are called', async () => {
    const written: string[] = [];
    process.stderr.write = (what: string | Uint8Array): boolean => written.push(String(what)) > 0;
    try {
      await failed(streaming, parts(['event: thread.run\ndata: the words of the model\n\n']));
    } finally {
      Reflect.deleteProperty(process.stderr, 'write');
    }
    expect(written).to.deep.equal([]);
  });

  it('takes ignored reasoning of any length', async () => {
    const thought = chunk({ reasoning_content: 'x'.repeat(64 * 1024) });
    model.next('diagnosis', parts([...Array.from({ length: 100 }, () => thought), SAID]));
    expect(replyOf(await streaming.complete(requestOf({ maxOutputBytes: 50 }), never())).content).to.equal(
      'grüß 👋',
    );
  });

  it('sends an answer’s schema to endpoints that take one', async () => {
    const schema = clientOf(model.url, { jsonMode: 'schema' });
    model.next('semantic', json({ verdict: 'SUPPORTED' }));
    const answerSchema = { name: 'verdict', schema: { type: 'object' } };
    await schema.complete(requestOf({ stage: 'semantic', answerSchema }), never());
    expect(JSON.parse(model.requests.at(-1)!.body)).to.have.nested.property(
      'response_format.json_schema.name',
      'verdict',
    );
    await schema.close();
  });
});
