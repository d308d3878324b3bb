/** The sweeper: what a crash left between a commit and its consequence is mended, once, and a bad row stops nobody. */
import { expect } from 'chai';
import { createEventPublisher, readFrames } from '../../src/shared/adapters/redis/event-log.js';
import { createCanonicalStore } from '../../src/shared/adapters/redis/canonical-store.js';
import { createConversationWindow } from '../../src/shared/adapters/redis/conversation-window.js';
import { createLease } from '../../src/shared/adapters/redis/lease.js';
import { createFrames } from '../../src/workers/frames.js';
import { startSweeper, sweepOnce, type SweepDeps } from '../../src/workers/guard/sweep.js';
import { until } from '../support/until.js';
import { openQueueBench, type QueueBench } from './support/queue-bench.js';
import { openTestStores, type TestStores } from './support/open-stores.js';
import { AT, ending, guardStep, invocation, later, round } from './support/sample-rows.js';

const GRACE_MS = 2000;
const done = () => Promise.resolve('done' as const);

describe('CA-2 the sweeper', function () {
  this.timeout(20_000);
  let stores: TestStores;
  let bench: QueueBench;
  let deps: SweepDeps;
  let limits: number;
  before(async () => {
    stores = await openTestStores();
  });
  after(() => stores.close());
  beforeEach(async () => {
    await stores.database.query('DELETE FROM diagnosis_run');
    bench = await openQueueBench();
    const clock = { now: () => later(60_000) };
    limits = 0;
    deps = {
      store: stores.store,
      sweep: stores.sweep,
      reader: stores.reader,
      queue: bench.runs,
      frames: createFrames(createEventPublisher(bench.redis, 600), stores.store, clock),
      conversation: createConversationWindow(bench.redis),
      lease: createLease(bench.redis, 'sweeper', 60_000),
      clock,
      log: bench.captured.log,
      graceMs: GRACE_MS,
      intervalMs: 20,
      patienceMs: 3_600_000,
      runTimeoutMs: 3_600_000,
      canonical: createCanonicalStore(bench.redis, 600),
      restoreLimits: () => {
        limits += 1;
        return Promise.resolve();
      },
    };
  });
  afterEach(() => bench.close());

  const events = async (runId: string) =>
    (await readFrames(bench.redis, runId, 0)).map(({ seq, event }) => `${seq} ${event}`);
  const attempt = async (runId: string) => (await stores.store.load(runId))?.attempt;

  it('FL-4 a guard that died after finalizing: report and done are published, once, and N is kept', async () => {
    const fence = await stores.begin();
    const fallback = {
      type: 'OUT_OF_SCOPE' as const,
      message: 'm',
      verified_sources: [],
      observed_facts: [],
      missing_context: [],
    };
    await stores.store.finalize(fence, ending({ outcome: 'FALLBACK', publicResult: { fallback } }));
    await sweepOnce(deps);
    const expected = ['1 metadata', '2 status', '3 status', '4 report', '5 done'];
    expect(await events(fence.runId)).to.deep.equal(expected);
    const report = (await readFrames(bench.redis, fence.runId, 3))[0];
    expect(JSON.parse(report?.data ?? '')).to.deep.include({ releaseOutcome: 'FALLBACK', fallback });
    expect((await stores.store.load(fence.runId))?.frameCount).to.equal(5);
    await sweepOnce(deps);
    expect(await events(fence.runId)).to.deep.equal(expected);
  });

  it('FL-4 one that died between two of the last frames: the rest follows, without a gap or a twin', async () => {
    const fence = await stores.begin();
    await stores.store.finalize(
      fence,
      ending({ outcome: 'FAILED', status: 'FAILED', errorCode: 'MODEL_UNAVAILABLE' }),
    );
    const run = await stores.store.load(fence.runId);
    if (run === null) throw new Error('no Run');
    await deps.frames.publish(run, [
      { key: 'metadata', event: { event: 'metadata', data: { sessionId: run.sessionId } } },
      {
        key: 'error',
        event: { event: 'error', data: { code: 'MODEL_UNAVAILABLE', message: 'said before' } },
      },
    ]);
    await sweepOnce(deps);
    const seen = await events(fence.runId);
    expect(seen).to.deep.equal(['1 metadata', '2 error', '3 status', '4 status', '5 done']);
  });

  it('FL-4 a Run that has just ended is left to whoever ended it', async () => {
    const fence = await stores.begin();
    await stores.store.finalize(fence, ending({ finishedAt: later(60_000 - GRACE_MS + 1) }));
    await sweepOnce(deps);
    expect(await events(fence.runId)).to.deep.equal([]);
  });

  it('FL-1 a Run that was committed and never enqueued is enqueued under its own attempt', async () => {
    const runId = await stores.create();
    const young = await stores.create({ createdAt: later(59_000) });
    await sweepOnce(deps);
    await sweepOnce(deps);
    expect(await bench.runs.isLive(runId, 1)).to.equal(true);
    expect(await attempt(runId)).to.equal(1);
    expect(await bench.runs.isLive(young, 1)).to.equal(false);
    expect(await bench.runs.waitingRuns()).to.equal(1);
    expect(limits).to.equal(2);
  });

  it('FL-5 a flow that vanished is made anew under the next attempt; a live one is left alone', async () => {
    const { runId } = await stores.begin();
    await bench.runs.enqueueRun(runId, 1);
    await sweepOnce(deps);
    expect(await attempt(runId)).to.equal(1);
    await bench.redis.flushall();
    await sweepOnce(deps);
    expect(await attempt(runId)).to.equal(2);
    expect(await bench.runs.isLive(runId, 2)).to.equal(true);
    await sweepOnce(deps);
    expect(await attempt(runId)).to.equal(2);
  });

  it('FL-5 a Run that nobody began, whose jobs stand there ended, is made anew too', async () => {
    const runId = await stores.create();
    await bench.diagnose(done);
    await bench.work('guards', () => Promise.reject(new Error('a fault')));
    await bench.runs.enqueueRun(runId, 1);
    await until(
      'the flow to end',
      async () => (await bench.state('guards', `${runId}-release-a1`)) === 'failed',
    );
    await sweepOnce(deps);
    expect(await attempt(runId)).to.equal(2);
  });

  it('CA-1 a cancellation that nobody ended is ended: waiting in the queue, or without a flow', async () => {
    const waiting = await stores.create();
    await bench.runs.enqueueRun(waiting, 1);
    const stranded = await stores.begin();
    await stores.store.commitRound(stranded, round([invocation(1)]));
    await stores.store.beginGuardStep(stranded, guardStep());
    const working = await stores.begin();
    await bench.runs.enqueueRun(working.runId, 1);
    for (const runId of [waiting, stranded.runId, working.runId])
      await stores.intake.requestCancel(runId, AT);
    await sweepOnce(deps);
    expect(await events(waiting)).to.deep.equal(['1 metadata', '2 status', '3 done']);
    for (const runId of [waiting, stranded.runId]) {
      expect((await stores.store.load(runId))?.releaseOutcome).to.equal('CANCELLED');
      expect(await stores.reader.isSettled(runId)).to.equal(true);
    }
    expect((await stores.store.load(working.runId))?.releaseOutcome).to.equal(null);
    expect((await stores.reader.details(stranded.runId)).invocations[0]).to.include({
      errorCode: 'CANCELLED',
    });
  });

  it('FL-5 a Run whose flow vanishes for ever ends as lost, with nothing left open', async () => {
    const fence = await stores.begin();
    await stores.store.commitRound(fence, round([invocation(1)]));
    for (let time = 0; time < 5; time += 1) {
      await bench.redis.flushall();
      await sweepOnce(deps);
    }
    const view = (await stores.reader.run(fence.runId))?.view;
    expect(view).to.deep.include({ status: 'FAILED', releaseOutcome: 'FAILED' });
    expect(view?.error?.code).to.equal('STATE_LOST');
    expect(view?.coverage.map(({ state }) => state)).to.deep.equal(['failed']);
    expect(await stores.reader.isSettled(fence.runId)).to.equal(true);
    expect((await events(fence.runId)).slice(-2).map((line) => line.split(' ')[1])).to.deep.equal([
      'error',
      'done',
    ]);
  });

  it('FL-5 a row that cannot be read keeps no other Run from its turn', async () => {
    const bad = await stores.begin({ createdAt: later(-10) });
    await stores.database.query("UPDATE diagnosis_run SET context = '{' WHERE run_id = ?", [bad.runId]);
    const badEnd = await stores.begin({ createdAt: later(-10) });
    await stores.store.finalize(badEnd, ending());
    await stores.database.query("UPDATE diagnosis_run SET public_result = '{' WHERE run_id = ?", [
      badEnd.runId,
    ]);
    const good = await stores.create();
    await sweepOnce(deps);
    expect(await bench.runs.isLive(good, 1)).to.equal(true);
    expect(
      bench.captured
        .lines()
        .filter(({ msg }) => msg === 'a run could not be swept')
        .map(({ runId }) => runId),
    ).to.have.members([bad.runId, badEnd.runId]);
  });

  it('FL-5 of two sweepers one sweeps; when it stops, the other takes over', async () => {
    const counts = { first: 0, second: 0 };
    const counting = (name: 'first' | 'second'): SweepDeps => ({
      ...deps,
      lease: createLease(bench.redis, 'sweeper', 60_000),
      restoreLimits: () => {
        counts[name] += 1;
        return Promise.resolve();
      },
    });
    const first = startSweeper(counting('first'));
    await until('the first to sweep', () => counts.first > 0);
    const second = startSweeper(counting('second'));
    const seen = counts.first;
    await until('the first to go on', () => counts.first > seen + 2);
    expect(counts.second).to.equal(0);
    await first.close();
    const last = counts.first;
    await until('the second to take over', () => counts.second > 0);
    expect(counts.first).to.equal(last);
    await second.close();
  });

  it('FL-5 a sweep that meets a store that is away is tried again at the next tick', async () => {
    let ticks = 0;
    const sweeper = startSweeper({
      ...deps,
      restoreLimits: () => {
        ticks += 1;
        return ticks < 3 ? Promise.reject(new Error('away')) : Promise.resolve();
      },
    });
    const runId = await stores.create();
    await until('the Run to be enqueued', () => bench.runs.isLive(runId, 1));
    await sweeper.close();
    expect(ticks).to.be.at.least(3);
  });

  it('CA-2 a cancelled Run whose worker does not act is ended for it, when its patience is over', async () => {
    const fence = await stores.begin();
    await bench.runs.enqueueRun(fence.runId, 1);
    await stores.intake.requestCancel(fence.runId, later(0));
    await sweepOnce({ ...deps, patienceMs: 61_000 });
    expect((await stores.store.load(fence.runId))?.releaseOutcome).to.equal(null);
    await sweepOnce({ ...deps, patienceMs: 59_000 });
    expect((await stores.store.load(fence.runId))?.releaseOutcome).to.equal('CANCELLED');
    expect(await stores.store.reserveModelCall(fence)).to.equal('lost');
  });

  it('BU-1 a Run whose time is well past and whose worker is gone ends as a controlled stop, its sleeper fenced', async () => {
    const fence = await stores.begin();
    await bench.runs.enqueueRun(fence.runId, 1);
    await sweepOnce({ ...deps, runTimeoutMs: 1000, patienceMs: 1000 });
    const view = (await stores.reader.run(fence.runId))?.view;
    expect(view?.fallback).to.deep.include({ type: 'INSUFFICIENT_EVIDENCE', observed_facts: [] });
    expect(await stores.store.reserveModelCall(fence)).to.equal('lost');
  });

  it('CA-2 every unfinished Run has its turn, however many there are', async () => {
    const runs: string[] = [];
    for (let made = 0; made < 230; made += 1) runs.push(await stores.create());
    for (const runId of runs) await stores.intake.requestCancel(runId, later(0));
    await sweepOnce(deps);
    expect(await stores.sweep.unfinished(later(60_000), null, 10)).to.deep.equal([]);
  });
});
