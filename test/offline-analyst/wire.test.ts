import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import OpenAI from 'openai';
import { startAnalystServer, type AnalystServer } from '../../src/offline-analyst/wire/http-server.js';
import { ANALYST_MODEL } from '../../src/offline-analyst/analyst-answer.js';
import { readDraft } from '../../src/shared/domain/guards/draft-reply.js';
import { Draft } from '../../src/shared/domain/contracts/draft.js';
import { canonicalJson } from '../../src/shared/domain/guards/canonical-json.js';
import { WINDOW } from './support/shop-logs.js';

const AGENT_CONTENT = canonicalJson({
  query: 'Why is checkout slow?',
  window: WINDOW,
  conversation: [],
  previous_turn: null,
  material: { services: ['checkout'], databases: [] },
});
const TOOLS = ['log_search', 'rag_lookup'].map((name) => ({
  type: 'function' as const,
  function: { name, parameters: { type: 'object' } },
}));

function clientOf(port: number, stage: string): OpenAI {
  return new OpenAI({
    apiKey: 'none',
    baseURL: `http://127.0.0.1:${port}/v1`,
    maxRetries: 0,
    defaultHeaders: { 'X-Sworn-Stage': stage },
  });
}

describe('the offline analyst behind the OpenAI wire', () => {
  let server: AnalystServer;
  before(async () => {
    server = await startAnalystServer({ port: 0, now: () => 1_700_000_000_000 });
  });
  after(() => server.close());

  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${server.port}${path}`, init);
  const request = {
    model: ANALYST_MODEL,
    messages: [{ role: 'user' as const, content: AGENT_CONTENT }],
    tools: TOOLS,
  };

  it('lists its model', async () => {
    const models = await clientOf(server.port, 'router').models.list();
    expect(models.data.map(({ id }) => id)).to.deep.equal([ANALYST_MODEL]);
  });

  it('answers a tool round whole and in a stream with the same calls', async () => {
    const client = clientOf(server.port, 'diagnosis');
    const whole = await client.chat.completions.create(request);
    expect(whole.model).to.equal(ANALYST_MODEL);
    expect(whole.created).to.equal(1_700_000_000);
    expect(whole.choices[0]?.finish_reason).to.equal('tool_calls');
    expect(whole.usage?.total_tokens).to.be.greaterThan(0);
    const calls = (whole.choices[0]?.message.tool_calls ?? []).flatMap((call) =>
      call.type === 'function' ? [call] : [],
    );
    expect(calls.map(({ id }) => id)).to.deep.equal(calls.map((_call, index) => `call_r1_${index + 1}`));
    expect(calls.length).to.be.greaterThan(1);

    const streamed = new Map<number, { id: string; name: string; arguments: string }>();
    const stream = await client.chat.completions.create({
      ...request,
      stream: true,
      stream_options: { include_usage: true },
    });
    let usage = 0;
    const finishes: string[] = [];
    for await (const chunk of stream) {
      usage += chunk.usage?.total_tokens ?? 0;
      const choice = chunk.choices[0];
      if (choice?.finish_reason) finishes.push(choice.finish_reason);
      for (const delta of choice?.delta.tool_calls ?? []) {
        const known = streamed.get(delta.index) ?? { id: '', name: '', arguments: '' };
        known.id += delta.id ?? '';
        known.name += delta.function?.name ?? '';
        known.arguments += delta.function?.arguments ?? '';
        streamed.set(delta.index, known);
      }
    }
    expect(finishes).to.deep.equal(['tool_calls']);
    expect(usage).to.equal(whole.usage?.total_tokens);
    expect([...streamed.values()]).to.deep.equal(calls.map((call) => ({ id: call.id, ...call.function })));
  });

  it('streams text whose pieces are the whole, and usage only when it is asked for', async () => {
    const client = clientOf(server.port, 'diagnosis');
    const content = AGENT_CONTENT.replace('Why is checkout slow?', 'And then? 🧾'.repeat(2));
    const messages = [{ role: 'user' as const, content }];
    const whole = await client.chat.completions.create({ model: ANALYST_MODEL, messages });
    let text = '';
    const usages: unknown[] = [];
    for await (const chunk of await client.chat.completions.create({
      model: ANALYST_MODEL,
      messages,
      stream: true,
    })) {
      text += chunk.choices[0]?.delta.content ?? '';
      usages.push(chunk.usage ?? null);
    }
    expect(text).to.equal(whole.choices[0]?.message.content);
    expect(usages.every((usage) => usage === null)).to.equal(true);
    const read = readDraft({ content: text, finishReason: 'stop', refused: false, toolCalls: [] }, Draft);
    expect(read.ok).to.equal(true);
  });

  it('takes content as null, text or parts', async () => {
    const payload = canonicalJson({
      query: 'Tell me a joke',
      conversation: [],
      last_intent: null,
      previous_turn: null,
    });
    const halves = [payload.slice(0, 20), payload.slice(20)].map((text) => ({ type: 'text', text }));
    const messages = [
      { role: 'system', content: null },
      { role: 'user', content: halves },
    ];
    const response = await ask('/v1/chat/completions', {
      method: 'POST',
      headers: { 'X-Sworn-Stage': 'router' },
      body: JSON.stringify({ messages }),
    });
    expect(response.status).to.equal(200);
    expect(await response.text()).to.include('OUT_OF_SCOPE');
  });

  const refusals: [string, number, string, RequestInit][] = [
    ['a wrong path', 404, '/v1/embeddings', { method: 'POST', body: '{}' }],
    ['a wrong method', 404, '/v1/chat/completions', {}],
    ['broken JSON', 400, '/v1/chat/completions', { method: 'POST', body: '{"messages":' }],
    [
      'a body of another shape',
      400,
      '/v1/chat/completions',
      { method: 'POST', body: '{"messages":[{"role":"poet"}]}' },
    ],
    [
      'no stage',
      400,
      '/v1/chat/completions',
      { method: 'POST', body: '{"messages":[{"role":"user","content":"x"}]}' },
    ],
  ];
  for (const [name, status, path, init] of refusals)
    it(`refuses ${name} with ${status} and an error object`, async () => {
      const response = await ask(path, init);
      expect(response.status).to.equal(status);
      const body = (await response.json()) as { error: { message: string; type: string } };
      expect(body.error.message).to.not.equal('');
      expect(body.error.type).to.equal('invalid_request_error');
    });

  it('refuses a body above its bound with 413', async () => {
    const response = await ask('/v1/chat/completions', {
      method: 'POST',
      body: 'x'.repeat(4 * 1024 * 1024 + 1),
    });
    expect(response.status).to.equal(413);
  });
});

describe('the offline analyst’s process', () => {
  const MAIN = fileURLToPath(new URL('../../src/offline-analyst/main.js', import.meta.url));
  const started: ChildProcess[] = [];
  afterEach(() => {
    for (const child of started.splice(0)) child.kill('SIGKILL');
  });

  const start = (env: Record<string, string>): ChildProcess => {
    const child = spawn(process.execPath, [MAIN], {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: 'pipe',
    });
    started.push(child);
    return child;
  };
  const portOf = async (child: ChildProcess): Promise<number> => {
    const [chunk] = (await once(child.stdout ?? child, 'data')) as [Buffer];
    return (JSON.parse(chunk.toString('utf8')) as { listening: number }).listening;
  };
  const serves = async (port: number): Promise<boolean> =>
    fetch(`http://127.0.0.1:${port}/v1/models`).then(
      (response) => response.ok,
      () => false,
    );

  it('says where it listens, and ends with code 0 on SIGTERM', async () => {
    const child = start({});
    const port = await portOf(child);
    expect(await serves(port)).to.equal(true);
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exit).to.deep.equal([0, null]);
    expect(await serves(port)).to.equal(false);
  });

  it('under a supervisor, ends when its standard input does', async () => {
    const child = start({ SWORN_SUPERVISED: '1' });
    await portOf(child);
    const exit = once(child, 'exit');
    child.stdin?.end();
    expect(await exit).to.deep.equal([0, null]);
  });

  it('names the port that is in use, or that is none, and exits with 1', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? String(address.port) : '';
    for (const [value, said] of [
      [port, `port ${port} is in use`],
      ['65536', 'from 0 to 65535'],
    ] as const) {
      const child = start({ OFFLINE_ANALYST_PORT: value });
      let words = '';
      child.stderr?.on('data', (chunk: Buffer) => (words += chunk.toString('utf8')));
      expect((await once(child, 'close'))[0]).to.equal(1);
      expect(words).to.include(said).and.to.not.include('at ');
    }
    await new Promise((resolve) => taken.close(resolve));
  });
});
