/** The ReAct loop through the whole fleet: identity, repeats, stops, budgets, knowledge, conversation. */
import { expect } from 'chai';
import type { Trace } from '../../src/shared/domain/contracts/trace.js';
import { createKnowledgeStore } from '../../src/shared/adapters/mysql/knowledge-store.js';
import { importDirectory } from '../../src/shared/adapters/knowledge/import-directory.js';
import { systemClock } from '../../src/shared/runtime/identity.js';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { call, diagnose } from '../support/api-client.js';
import { calls, hang, json, startTestFleet, text, type TestFleet } from '../support/fleet.js';
import { tempFolder } from '../support/temp-folder.js';
import { draft, firstRound, noConclusion, routed, search, supported, WINDOW, writeLogs } from './incident.js';

describe('the agent’s rounds through the fleet', function () {
  this.timeout(60_000);
  let fleet: TestFleet;
  before(async () => {
    fleet = await startTestFleet({
      env: { LOG_DIR: await writeLogs(), RUN_MAX_TOOL_CALLS: '6', RUN_MAX_MODEL_CALLS: '12' },
    });
    const runbooks = await tempFolder();
    await writeFile(
      join(runbooks, 'rollback.md'),
      '# Rolling back a migration\n\nStop the writers first, then restore the index.\n',
    );
    await importDirectory(createKnowledgeStore(fleet.database), runbooks, systemClock);
  });
  after(() => fleet.stop());
  afterEach(() => {
    fleet.model.assertConsumed();
  });

  const run = (more: Record<string, unknown> = {}) =>
    diagnose(fleet.baseUrl, 'Why is checkout slow?', { window: WINDOW, ...more });
  const trace = async (sessionId: string, runId: string): Promise<Trace> =>
    (await call<Trace>(fleet.baseUrl, 'GET', `/api/diagnosis/${sessionId}/trace?runId=${runId}`)).body;
  const requests = (stage: string) => fleet.model.requests.filter((request) => request.stage === stage);

  it('ID-1 ID-3 IV-1 only calls with an identity run; the others are told in words and stand in the trace', async () => {
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next(
      'diagnosis',
      calls(search('found', 'timeout'), search('twin', 'a'), search('twin', 'b'), search('', 'c'), {
        id: 'x1',
        name: 'shell',
        arguments: {},
      }),
      json(noConclusion({ analyses: [] })),
    );
    const { run: view, frames } = await run();
    const invocations = (await trace(view.sessionId, view.runId)).toolInvocations;
    expect(invocations.map(({ status, errorCode }) => errorCode ?? status)).to.deep.equal([
      'READY',
      'DUPLICATE_TOOL_CALL_ID',
      'DUPLICATE_TOOL_CALL_ID',
      'INVALID_TOOL_CALL_ID',
      'UNKNOWN_TOOL',
    ]);
    const tools = frames
      .filter(({ event }) => event === 'tool')
      .map(({ data }) => `${Number(data['call'])} ${String(data['status'])}`);
    expect(tools.sort()).to.deep.equal([
      '1 PROJECTING',
      '1 READY',
      '2 ERROR',
      '3 ERROR',
      '4 ERROR',
      '5 ERROR',
    ]);
    const second = requests('diagnosis')[1]?.messages ?? [];
    expect(second.find(({ role }) => role === 'assistant')?.tool_calls?.map(({ id }) => id)).to.deep.equal([
      'found',
      'x1',
    ]);
    expect(second.at(-1)?.content).to.match(/harness_notice/);
    const keys = await fleet.redis.keys(`sworn:run:{${view.runId}}:inv:*`);
    expect(keys).to.deep.equal([`sworn:run:{${view.runId}}:inv:found`]);
  });

  it('ID-2 an ID of an earlier round is refused, the earlier invocation stands', async () => {
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next(
      'diagnosis',
      calls(search('found', 'timeout')),
      calls(search('found', 'slow')),
      json(noConclusion({ analyses: [] })),
    );
    const { run: view } = await run();
    const invocations = (await trace(view.sessionId, view.runId)).toolInvocations;
    expect(invocations.map(({ errorCode, status }) => errorCode ?? status)).to.deep.equal([
      'READY',
      'DUPLICATE_TOOL_CALL_ID',
    ]);
    expect(view.fallback?.observed_facts).to.have.length(1);
  });

  it('BU-1 an identical call returns the invocation that it already has, marked; saturation stops the agent', async () => {
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next(
      'diagnosis',
      calls(search('a', 'timeout')),
      calls(search('b', 'timeout')),
      calls(search('c', 'timeout')),
    );
    const { run: view } = await run();
    expect(view.fallback?.type).to.equal('INSUFFICIENT_EVIDENCE');
    expect(view.fallback?.observed_facts).to.have.length(1);
    const invocations = (await trace(view.sessionId, view.runId)).toolInvocations;
    expect(invocations.map(({ repeatsCall }) => repeatsCall)).to.deep.equal([null, 1, 1]);
    expect(JSON.stringify(view)).not.to.match(/SATURATION|BUDGET/);
  });

  it('BU-1 spent tool calls are a controlled stop', async () => {
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next(
      'diagnosis',
      calls(search('a', 'timeout'), search('b', '3001'), search('c', '3002')),
      calls(search('d', '3003'), search('e', '3004'), search('f', '3005'), search('g', '3006')),
    );
    const { run: view } = await run();
    expect(view.fallback?.type).to.equal('INSUFFICIENT_EVIDENCE');
    expect(view.fallback?.observed_facts).to.have.length(6);
  });

  it('IV-3 a failed call is told as its answer and is no evidence', async () => {
    const wrong = { id: 'found', name: 'log_search', arguments: { ...WINDOW, from: WINDOW.to } };
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', calls(wrong), json(draft({ analyses: draft().analyses.slice(0, 1) })));
    fleet.model.next('repair', json(draft({ analyses: draft().analyses.slice(0, 1) })));
    const { run: view } = await run();
    expect(view.fallback?.type).to.equal('EVIDENCE_VALIDATION_FAILED');
    expect(view.coverage[0]?.state).to.equal('failed');
    expect(requests('diagnosis')[1]?.messages.at(-1)?.content).to.include('INVALID_ARGUMENTS');
  });

  it('KQ-1 KQ-2 KQ-3 a knowledge query: one lookup, bound items, no SemanticGuard', async () => {
    const lookup = { id: 'k1', name: 'rag_lookup', arguments: { query: 'roll back a migration' } };
    fleet.model.next('router', routed('KNOWLEDGE_QUERY'), routed('KNOWLEDGE_QUERY'));
    fleet.model.next('knowledge', calls(lookup, { ...lookup, id: 'k2' }), ({ messages }) => {
      const answer = messages.find(({ role }) => role === 'tool')?.content ?? '{}';
      const { documents } = JSON.parse(answer) as { documents: { document_id: string }[] };
      return json({
        answer_items: [
          { text: 'Stop the writers.', tool_call_id: 'k1', document_ids: [documents[0]?.document_id] },
        ],
        limitations: ['No times.'],
      });
    });
    const { run: view } = await run();
    expect(view.intent).to.equal('KNOWLEDGE_QUERY');
    expect(view.knowledge?.answer).to.equal('Stop the writers. [1]');
    expect(view.knowledge?.references[0]).to.include({ title: 'Rolling back a migration' });
    const offered = JSON.parse(requests('knowledge')[0]?.body ?? '{}') as {
      tools: { function: { name: string } }[];
    };
    expect(offered.tools.map((tool) => tool.function.name)).to.deep.equal(['rag_lookup']);
    fleet.model.next(
      'knowledge',
      calls(lookup),
      json({ answer_items: [{ text: 'x', tool_call_id: 'k1', document_ids: ['made-up'] }], limitations: [] }),
    );
    expect((await run()).run.fallback).to.deep.include({
      type: 'EVIDENCE_VALIDATION_FAILED',
      verified_sources: [],
    });
  });

  it('SR-9 SR-13 the Router sees the last intent and the last published diagnosis of its session', async () => {
    fleet.model.next('router', routed('DIAGNOSIS'), routed('OUT_OF_SCOPE'), routed('OUT_OF_SCOPE'));
    fleet.model.next('diagnosis', firstRound(), json(draft()));
    fleet.model.next('semantic', supported());
    const { run: first } = await run();
    await run({ sessionId: first.sessionId });
    await run({ sessionId: first.sessionId });
    const payloads = requests('router').map(
      ({ messages }) => JSON.parse(messages[1]?.content ?? '{}') as Record<string, unknown>,
    );
    expect(payloads.map((payload) => payload['last_intent'])).to.deep.equal([
      null,
      'DIAGNOSIS',
      'OUT_OF_SCOPE',
    ]);
    expect(payloads[2]?.['previous_turn']).to.have.property('published_conclusion', draft().conclusion?.text);
    expect(payloads[2]?.['conversation']).to.have.length(2);
  });

  it('RP-9 prose instead of a Draft publishes nothing of it', async () => {
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', text('The root cause is DNS.'));
    const { run: view } = await run();
    expect(JSON.stringify(view)).not.to.include('DNS');
  });
});

describe('BU-1 the Run’s own time', function () {
  this.timeout(60_000);
  it('ends the agent in the middle of a call, as a controlled stop and after one attempt', async () => {
    const fleet = await startTestFleet({ env: { LOG_DIR: await writeLogs(), RUN_TIMEOUT_MS: '1500' } });
    try {
      fleet.model.next('router', routed('DIAGNOSIS'));
      fleet.model.next('diagnosis', firstRound(), hang());
      const { run } = await diagnose(fleet.baseUrl, 'Why is checkout slow?', { window: WINDOW });
      expect(run.fallback?.type).to.equal('INSUFFICIENT_EVIDENCE');
      expect(run.fallback?.observed_facts).to.have.length(2);
      fleet.model.assertConsumed();
    } finally {
      await fleet.stop();
    }
  });
});
