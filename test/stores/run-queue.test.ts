/** A Run's flow: added once, holding numbers alone, parked without a slot, and never left waiting. */
import { expect } from 'chai';
import { parentJob } from '../../src/shared/adapters/bullmq/parent-job.js';
import { RunJob, ToolJob } from '../../src/shared/domain/contracts/jobs.js';
import { uuidIds } from '../../src/shared/runtime/identity.js';
import { until } from '../support/until.js';
import { openQueueBench, type QueueBench } from './support/queue-bench.js';

const done = () => Promise.resolve('done' as const);

describe('FL-1 a Run’s flow', function () {
  this.timeout(20_000);
  let bench: QueueBench;
  let runId: string;
  beforeEach(async () => {
    bench = await openQueueBench();
    runId = uuidIds.runId();
  });
  afterEach(() => bench.close());

  const release = (attempt = 1): string => `${runId}-release-a${attempt}`;
  const diagnoseId = (attempt = 1): string => `${runId}-diagnose-a${attempt}`;
  const ended = () =>
    until('the release job to end', async () => (await bench.state('guards', release())) === 'completed');

  it('FL-1 adding the same flow again, at once or later, does nothing', async () => {
    await Promise.all(Array.from({ length: 10 }, () => bench.runs.enqueueRun(runId, 1)));
    await bench.runs.enqueueRun(runId, 1);
    expect(await bench.runs.waitingRuns()).to.equal(1);
    expect(await bench.queue('runs').getJobCounts('waiting', 'active', 'completed')).to.include({
      waiting: 1,
    });
    expect(await bench.queue('guards').getJobCounts('waiting-children', 'waiting')).to.include({
      'waiting-children': 1,
      waiting: 0,
    });
    expect(await bench.runs.isLive(runId, 1)).to.equal(true);
    expect(await bench.runs.isLive(runId, 2)).to.equal(false);
    let diagnosed = 0;
    let released = 0;
    await bench.diagnose(() => {
      diagnosed += 1;
      return done();
    });
    await bench.work('guards', () => {
      released += 1;
      return done();
    });
    await ended();
    await bench.runs.enqueueRun(runId, 1);
    expect(await bench.runs.isLive(runId, 1)).to.equal(false);
    expect([diagnosed, released]).to.deep.equal([1, 1]);
  });

  it('FL-1 a new attempt is a new flow, though the jobs of the last one are still kept', async () => {
    const seen: unknown[] = [];
    await bench.diagnose(done);
    await bench.work('guards', (job) => {
      seen.push(job.data);
      return done();
    });
    await bench.runs.enqueueRun(runId, 1);
    await ended();
    await bench.runs.enqueueRun(runId, 2);
    await until('the second flow to end', () => seen.length === 2);
    expect(seen).to.deep.equal([
      { runId, attempt: 1 },
      { runId, attempt: 2 },
    ]);
  });

  it('SE-1 everything in the queues’ keys is identifiers, numbers and states', async () => {
    await bench.diagnose(async (parent, _signal, activation) => {
      if (activation > 1) return 'done';
      await parent.addToolJobs(runId, 1, [
        { call: 1, tool: 'log_search' },
        { call: 2, tool: 'mysql_query' },
      ]);
      return (await parent.park()) ? 'parked' : 'done';
    });
    await bench.work('tools.log_search', done);
    await bench.work('tools.mysql_query', () => {
      throw Object.assign(new Error(`SECRET-WORDS of ${runId}`), {
        code: 'ER_DUP_ENTRY',
        sql: 'SECRET-WORDS',
      });
    });
    await bench.work('guards', () => {
      throw new TypeError('SECRET-WORDS');
    });
    await bench.runs.enqueueRun(runId, 1);
    await until('the release job to fail', async () => (await bench.state('guards', release())) === 'failed');
    const payloads: Record<string, unknown>[] = [];
    for (const key of await bench.redis.keys('{sworn}*')) {
      if ((await bench.redis.type(key)) !== 'hash') continue;
      const { data, failedReason, stacktrace, returnvalue } = await bench.redis.hgetall(key);
      if (data === undefined) continue;
      payloads.push({ data: JSON.parse(data) as unknown, failedReason, stacktrace, returnvalue });
    }
    // The failed Tool job is gone: its ID would keep a parent waiting.
    expect(payloads).to.have.length(3);
    for (const { data } of payloads)
      expect(RunJob.safeParse(data).success || ToolJob.safeParse(data).success).to.equal(true);
    expect(JSON.stringify(payloads)).not.to.match(/SECRET-WORDS/);
    expect(payloads.map(({ failedReason }) => failedReason ?? null)).to.have.members([
      'TypeError',
      null,
      null,
    ]);
    expect(bench.captured.text()).not.to.include('SECRET-WORDS');
    expect(bench.captured.lines().filter(({ msg }) => msg === 'job failed')).to.have.length(2);
  });

  it('FL-2 a parked job holds no slot, wakes once its calls have ended, and its release follows', async () => {
    const order: string[] = [];
    const second = uuidIds.runId();
    const door = bench.door();
    await bench.work(
      'runs',
      async (job, token) => {
        const parent = parentJob(job, token, bench.tools);
        const { runId: own } = RunJob.parse(job.data);
        order.push(own === runId ? 'first' : 'second');
        if (own !== runId) door.open();
        if (own !== runId || order.filter((name) => name === 'first').length > 1) return 'done';
        await parent.addToolJobs(own, 1, [
          { call: 1, tool: 'log_search' },
          { call: 2, tool: 'log_search' },
        ]);
        await parent.addToolJobs(own, 1, [{ call: 1, tool: 'log_search' }]);
        return (await parent.park()) ? 'parked' : 'done';
      },
      { concurrency: 1 },
    );
    const called: number[] = [];
    await bench.work('tools.log_search', async (job) => {
      await door.opened;
      called.push(ToolJob.parse(job.data).call);
      return 'done';
    });
    await bench.work('guards', (job) => {
      order.push(RunJob.parse(job.data).runId === runId ? 'release first' : 'release second');
      return done();
    });
    await bench.runs.enqueueRun(runId, 1);
    await until(
      'the first to park',
      async () => (await bench.state('runs', diagnoseId())) === 'waiting-children',
    );
    await bench.runs.enqueueRun(second, 1);
    await ended();
    expect(called.sort()).to.deep.equal([1, 2]);
    expect(order.filter((name) => !name.includes('second'))).to.deep.equal([
      'first',
      'first',
      'release first',
    ]);
    expect(order.indexOf('second')).to.be.greaterThan(-1);
  });

  it('FL-2 a call whose job fails, and a diagnose job that fails, keep nobody waiting', async () => {
    await bench.diagnose(async (parent, _signal, activation) => {
      if (activation > 1) throw new Error('a fault');
      await parent.addToolJobs(runId, 1, [{ call: 1, tool: 'log_search' }]);
      return (await parent.park()) ? 'parked' : 'done';
    });
    await bench.work('tools.log_search', () => {
      throw new Error('a fault');
    });
    await bench.work('guards', done);
    await bench.runs.enqueueRun(runId, 1);
    await ended();
    expect(await bench.state('runs', diagnoseId())).to.equal('failed');
  });

  it('FL-2 a call can be added again after its job has failed, and is run', async () => {
    let calls = 0;
    await bench.diagnose(async (parent, _signal, activation) => {
      if (activation > 2) return 'done';
      await parent.addToolJobs(runId, 1, [{ call: 1, tool: 'log_search' }]);
      return (await parent.park()) ? 'parked' : 'done';
    });
    await bench.work('tools.log_search', () => {
      calls += 1;
      if (calls === 1) throw new Error('a fault');
      return done();
    });
    await bench.work('guards', done);
    await bench.runs.enqueueRun(runId, 1);
    await ended();
    expect(calls).to.equal(2);
  });

  it('FL-2 returning with a call still pending parks the job instead of failing it', async () => {
    const door = bench.door();
    await bench.diagnose(async (parent, _signal, activation) => {
      if (activation === 1) await parent.addToolJobs(runId, 1, [{ call: 1, tool: 'log_search' }]);
      return 'done';
    });
    await bench.work('tools.log_search', async () => {
      await door.opened;
      return 'done';
    });
    await bench.work('guards', done);
    await bench.runs.enqueueRun(runId, 1);
    await until('it to park', async () => (await bench.state('runs', diagnoseId())) === 'waiting-children');
    door.open();
    await ended();
    expect(await bench.state('runs', diagnoseId())).to.equal('completed');
  });

  it('CA-1 calls that nobody has taken can be dropped, and the job ends without them', async () => {
    await bench.diagnose(async (parent) => {
      await parent.addToolJobs(runId, 1, [
        { call: 1, tool: 'log_search' },
        { call: 2, tool: 'mysql_query' },
      ]);
      await parent.dropWaitingChildren();
      return 'done';
    });
    await bench.work('guards', done);
    await bench.runs.enqueueRun(runId, 1);
    await ended();
    for (const tool of ['log_search', 'mysql_query'])
      expect(await bench.queue(`tools.${tool}`).getWaitingCount()).to.equal(0);
  });

  it('FL-2 the fleet-wide limit of a tool holds over two workers, and none over another tool', async () => {
    await bench.tools.setGlobalConcurrency(3);
    const busy = { log_search: 0, mysql_query: 0 };
    const most = { log_search: 0, mysql_query: 0 };
    const door = bench.door();
    for (const tool of ['log_search', 'mysql_query'] as const) {
      for (let worker = 0; worker < 2; worker += 1)
        await bench.work(
          `tools.${tool}`,
          async () => {
            busy[tool] += 1;
            most[tool] = Math.max(most[tool], busy[tool]);
            await door.opened;
            await new Promise((resolve) => setImmediate(resolve));
            busy[tool] -= 1;
            return 'done';
          },
          { concurrency: 5 },
        );
      await bench.queue(`tools.${tool}`).addBulk(
        Array.from({ length: 12 }, (_, index) => ({
          name: 'call',
          data: { runId, call: index + 1 },
          opts: {},
        })),
      );
    }
    await until('the limits to be reached', () => busy.log_search === 3 && busy.mysql_query === 3);
    door.open();
    await until('all calls to end', async () => {
      const counts = await Promise.all(
        ['log_search', 'mysql_query'].map((tool) => bench.queue(`tools.${tool}`).getCompletedCount()),
      );
      return counts.every((count) => count === 12);
    });
    expect(most).to.deep.equal({ log_search: 3, mysql_query: 3 });
  });
});
