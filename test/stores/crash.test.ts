/** Real worker processes, killed, paused and stopped in the middle of a Run, and a Redis that forgets everything. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { createCanonicalStore } from '../../src/shared/adapters/redis/canonical-store.js';
import { readFrames } from '../../src/shared/adapters/redis/event-log.js';
import { draft, firstRound, noConclusion, routed, search, supported } from '../run/incident.js';
import { calls, hang, json, type TestFleet } from '../support/fleet.js';
import { until } from '../support/until.js';
import { openCrashBench, type CrashBench } from './support/crash-bench.js';
import { projectionOf } from './support/log-projection.js';
import { invocation, round, step } from './support/sample-rows.js';

describe('FL-5 a Run outlives its processes', function () {
  this.timeout(60_000);
  let bench: CrashBench;
  let fleet: TestFleet;
  before(async () => {
    bench = await openCrashBench();
    fleet = bench.fleet;
  });
  after(() => bench.close());
  afterEach(() => {
    fleet.model.assertConsumed();
  });

  it('FL-5 IV-1 killed while the model is asked: another process asks again, and no tool runs twice', async () => {
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', firstRound(), hang(), json(draft()));
    fleet.model.next('semantic', supported());
    const runId = await bench.start();
    await bench.asked('diagnosis', 2);
    bench.only('diagnosis').child.kill('SIGKILL');
    await fleet.start('diagnosis');
    const frames = await bench.ended(runId);
    expect(await bench.view(runId)).to.include({ releaseOutcome: 'SUCCESS' });
    expect(await bench.claims(runId)).to.deep.equal([1, 1]);
    expect(frames.filter(({ event }) => event === 'step')).to.have.length(2);
    expect(frames.filter(({ event }) => event === 'report')).to.have.length(1);
  });

  it('FL-5 IV-1 killed while a tool runs: that call alone is run again, the READY one stands', async () => {
    const query = { id: 'slow', name: 'mysql_query', arguments: { sql: 'SELECT COUNT(*) AS n FROM orders' } };
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', calls(search('found', 'timeout'), query), ({ messages }) => {
      const answers = messages.filter(({ role }) => role === 'tool').map(({ content }) => content ?? '');
      expect(answers[0]).to.include('"matched":7');
      expect(answers[1]).to.include('"rows":[["3"]]');
      return json(noConclusion({ analyses: [] }));
    });
    await bench.target.query('LOCK TABLES orders WRITE');
    const runId = await bench.start();
    await until('one call to be READY and the other to run', async () => {
      const { invocations } = await bench.reader.details(runId);
      return invocations[0]?.status === 'READY' && invocations[1]?.startedAt != null;
    });
    bench.only('diagnosis').child.kill('SIGKILL');
    await fleet.start('diagnosis');
    await until('the call to be taken again', async () => (await bench.claims(runId))[1] === 2);
    await bench.target.query('UNLOCK TABLES');
    await bench.ended(runId);
    expect(await bench.claims(runId)).to.deep.equal([1, 2]);
    expect((await bench.view(runId))?.fallback?.observed_facts).to.have.length(2);
  });

  it('IV-1 a READY record whose worker died before its row is adopted; the tool does not run', async () => {
    const runId = await bench.create();
    const store = bench.store;
    const claimed = await store.claim(runId, 'diagnose', 1, new Date());
    if (!claimed.ok) throw new Error('the claim was refused');
    const call = search('kept', 'timeout');
    await store.saveContext(
      { runId, epoch: claimed.run.epoch },
      { conversation: [], lastIntent: null, previousTurn: null, material: { services: [], databases: [] } },
    );
    await store.commitRound(
      { runId, epoch: claimed.run.epoch },
      round([invocation(1, { toolCallId: 'kept', arguments: JSON.stringify(call.arguments) })], {
        step: step({ inputHash: createHash('sha256').update('x').digest('hex') }),
        intent: 'DIAGNOSIS',
      }),
    );
    await store.claimInvocation(runId, 1, new Date());
    const canonical = createCanonicalStore(fleet.redis, 600);
    const projection = projectionOf('kept', 99);
    await canonical.begin({
      runId,
      toolCallId: 'kept',
      tool: 'log_search',
      claim: 1,
      startedAt: new Date().toISOString(),
    });
    await canonical.finish({
      runId,
      toolCallId: 'kept',
      claim: 1,
      status: 'READY',
      evidenceStatus: projection.evidence_status,
      scope: JSON.stringify(projection.scope),
      agentResult: JSON.stringify(projection),
      finishedAt: new Date().toISOString(),
    });
    fleet.model.next('diagnosis', ({ messages }) => {
      expect(messages.at(-1)?.content).to.include('"matched":99');
      return json(noConclusion({ analyses: [] }));
    });
    await bench.queue.enqueueRun(runId, 1);
    // Its log was never written, so numbers go on above those that its row has given away.
    await bench.ended(runId, 7);
    const { invocations } = await bench.reader.details(runId);
    expect(invocations[0]).to.deep.include({ status: 'READY', projection });
    expect((await bench.view(runId))?.fallback?.observed_facts[0]).to.match(/99 matching entries/);
  });

  it('SG-4 FL-3 the guard killed in its review: the attempt is used up, the second decides, and it ends once', async () => {
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', firstRound(), json(draft()));
    fleet.model.next('semantic', hang(), supported());
    const runId = await bench.start();
    await bench.asked('semantic');
    bench.only('guard').child.kill('SIGKILL');
    await fleet.start('guard');
    await bench.ended(runId);
    expect(await bench.view(runId)).to.include({ releaseOutcome: 'SUCCESS' });
    const semantic = (await bench.reader.details(runId)).steps.filter(({ stage }) => stage === 'semantic');
    expect(semantic.map(({ round: attempt, outcome }) => [attempt, outcome])).to.deep.equal([
      [1, 'LOST'],
      [2, 'SUPPORTED'],
    ]);
    const attempts = fleet.model.requests.filter(({ stage }) => stage === 'semantic');
    expect(attempts.map(({ attempt }) => attempt)).to.deep.equal([1, 2]);
    expect(attempts[0]?.body).to.equal(attempts[1]?.body);
  });

  it('CA-2 a worker that was paused and wakes with its answer commits nothing', async () => {
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next(
      'diagnosis',
      async () => {
        await held;
        return json(noConclusion({ analyses: [], missing_context: ['LATE'] }));
      },
      json(noConclusion({ analyses: [], missing_context: ['IN TIME'] })),
    );
    const runId = await bench.start();
    await bench.asked('diagnosis');
    const paused = bench.only('diagnosis');
    paused.child.kill('SIGSTOP');
    await fleet.start('diagnosis');
    await bench.ended(runId);
    answer();
    paused.child.kill('SIGCONT');
    paused.child.kill('SIGTERM');
    await paused.exited;
    expect((await bench.view(runId))?.fallback?.missing_context).to.deep.equal(['IN TIME']);
    const { steps } = await bench.reader.details(runId);
    expect(steps.filter(({ stage }) => stage === 'diagnosis')).to.have.length(1);
  });

  it('FL-5 SIGTERM while the model is asked: the call is ended, the job given back, the process leaves with 0', async () => {
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', hang(), json(noConclusion({ analyses: [], missing_context: ['Which?'] })));
    const runId = await bench.start();
    await bench.asked('diagnosis');
    const first = bench.only('diagnosis');
    await fleet.start('diagnosis');
    first.child.kill('SIGTERM');
    expect(await first.exited).to.equal(0);
    await fleet.model.requests.at(-1)?.closed;
    expect(first.output()).to.include('"msg":"stopped"').and.not.to.include('did not end well');
    await bench.ended(runId);
    expect((await bench.view(runId))?.fallback?.type).to.equal('MISSING_REQUIRED_CONTEXT');
    expect(fleet.output()).not.to.match(/taken back from a lost worker.*QUERY/);
  });

  it('FL-5 Redis forgets everything in the middle of a Run: the sweeper makes its flow anew and it ends, once', async () => {
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', firstRound(), hang(), json(draft()));
    fleet.model.next('repair', json(draft()));
    const runId = await bench.start();
    await bench.asked('diagnosis', 2);
    const before = (await readFrames(fleet.redis, runId, 0)).at(-1)?.seq ?? 0;
    await fleet.redis.flushall();
    await fleet.model.requests.at(-1)?.closed;
    const floor = (await bench.store.load(runId))?.frameSeq ?? 0;
    expect(floor).to.be.at.least(before);
    const frames = await until(
      'the last frame',
      async () => (await bench.reader.run(runId))?.frameCount != null,
      30_000,
    ).then(() => readFrames(fleet.redis, runId, 0));
    expect(frames[0]?.seq).to.be.greaterThan(before);
    expect(frames.map(({ seq }) => seq)).to.deep.equal(
      frames.map((_, index) => (frames[0]?.seq ?? 0) + index),
    );
    expect(frames.filter(({ event }) => event === 'done')).to.have.length(1);
    const run = await bench.reader.run(runId);
    expect(run?.attempt).to.equal(2);
    expect(await bench.claims(runId)).to.deep.equal([1, 1]);
    // The canonical records are gone, and are not rebuilt.
    expect(run?.view.fallback).to.deep.include({ type: 'EVIDENCE_VALIDATION_FAILED', verified_sources: [] });
    const limit = await fleet.redis.hget('{sworn}:tools.log_search:meta', 'concurrency');
    expect(limit).to.equal('32');
  });

  it('SE-1 after all of that no key of the queues, and no log line, holds a word of a model, a tool or a question', async () => {
    const text: string[] = [fleet.output()];
    for (const key of await fleet.redis.keys('{sworn}*')) {
      const type = await fleet.redis.type(key);
      if (type === 'hash') text.push(key, JSON.stringify(await fleet.redis.hgetall(key)));
      if (type === 'stream') text.push(JSON.stringify(await fleet.redis.xrange(key, '-', '+')));
      if (type === 'string') text.push((await fleet.redis.get(key)) ?? '');
    }
    expect(text.length).to.be.greaterThan(5);
    expect(text.join('\n')).not.to.match(
      /QUERY-WORDS|DRAFT-WORDS|SECRET-REASON|timeout calling|key-for-tests/,
    );
  });
});
