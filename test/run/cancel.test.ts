/** Cancellation through the front door (CA-1 … CA-3, SG-6). */
import { expect } from 'chai';
import { ask, call, follow, readRun } from '../support/api-client.js';
import { hang, json, startTestFleet, type TestFleet } from '../support/fleet.js';
import { until } from '../support/until.js';
import { draft, firstRound, routed, WINDOW, writeLogs } from './incident.js';

describe('cancelling a Run', function () {
  this.timeout(60_000);
  let fleet: TestFleet;
  before(async () => {
    fleet = await startTestFleet({ env: { LOG_DIR: await writeLogs(), RUN_CONCURRENCY: '1' } });
  });
  after(() => fleet.stop());
  afterEach(() => {
    fleet.model.assertConsumed();
  });

  const start = () => ask(fleet.baseUrl, 'Why is checkout slow?', { window: WINDOW });
  const cancel = (runId: string, wait = 10) =>
    call(fleet.baseUrl, 'POST', `/api/runs/${runId}/cancel`, { headers: { prefer: `wait=${wait}` } });
  const asked = (stage: string) =>
    until(`a call of ${stage}`, () => fleet.model.requests.some((item) => item.stage === stage));

  it('CA-1 CA-2 while the model is asked: the call is aborted on the wire, and wait means that nothing is in flight', async () => {
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', hang());
    const runId = await start();
    const frames = follow(fleet.baseUrl, runId);
    await asked('diagnosis');
    const answer = await cancel(runId);
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.include({
      state: 'stopped',
      status: 'CANCELLED',
      releaseOutcome: 'CANCELLED',
    });
    await fleet.model.requests.at(-1)?.closed;
    expect((await frames).at(-1)).to.deep.include({ event: 'done' });
  });

  it('SG-6 while SemanticGuard is asked: no late result, and no fallback', async () => {
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', firstRound(), json(draft()));
    fleet.model.next('semantic', hang());
    const runId = await start();
    await asked('semantic');
    expect((await cancel(runId)).body).to.deep.include({ state: 'stopped', releaseOutcome: 'CANCELLED' });
    await fleet.model.requests.at(-1)?.closed;
    const run = await readRun(fleet.baseUrl, runId);
    expect(run).not.to.have.any.keys('report', 'fallback', 'knowledge', 'error');
  });

  it('CA-2 a Run that waits in the queue ends at once; the one before it goes on', async () => {
    fleet.model.next('router', hang(), routed('OUT_OF_SCOPE'));
    const first = await start();
    await asked('router');
    const waiting = await start();
    expect((await cancel(waiting)).body).to.deep.include({ state: 'stopped', releaseOutcome: 'CANCELLED' });
    expect((await readRun(fleet.baseUrl, first)).status).to.equal('RUNNING');
    await cancel(first);
    const third = await start();
    expect((await follow(fleet.baseUrl, third)).at(-1)?.data['releaseOutcome']).to.equal('FALLBACK');
  });

  it('FL-2 FL-5 a slot per Run at a time; a second worker of the same environment takes the next', async () => {
    fleet.model.next('router', hang(), hang());
    const first = await start();
    await asked('router');
    const second = await start();
    const working = () =>
      fleet.model.requests.filter(({ stage }) => stage === 'router').map(({ runId }) => runId);
    expect((await readRun(fleet.baseUrl, second)).status).to.equal('QUEUED');
    expect(working().at(-1)).to.equal(first);
    const more = await fleet.start('diagnosis');
    await until('the second worker to take the second Run', () => working().at(-1) === second);
    await Promise.all([cancel(first), cancel(second)]);
    more.child.kill('SIGTERM');
    expect(await more.exited).to.equal(0);
  });

  it('CA-2 a finished Run cannot be cancelled, an unknown one does not exist', async () => {
    fleet.model.next('router', routed('OUT_OF_SCOPE'));
    const runId = await start();
    await follow(fleet.baseUrl, runId);
    const finished = await cancel(runId, 0);
    expect([finished.status, finished.body['code']]).to.deep.equal([409, 'RUN_FINISHED']);
    const unknown = await cancel('run-019aa000-0000-7000-8000-000000000001', 0);
    expect([unknown.status, unknown.body['code']]).to.deep.equal([404, 'NOT_FOUND']);
  });

  it('CA-3 the owning connection’s disconnect cancels; an observer’s does not', async () => {
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', hang());
    const controller = new AbortController();
    const owner = await fetch(`${fleet.baseUrl}/api/chat`, {
      method: 'POST',
      signal: controller.signal,
      headers: {
        authorization: 'Bearer admin-token-for-tests',
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ query: 'Why?', window: WINDOW }),
    });
    expect(owner.status).to.equal(200);
    await asked('diagnosis');
    const runId = fleet.model.requests.at(-1)?.runId ?? '';
    const observer = new AbortController();
    const observed = follow(fleet.baseUrl, runId, {
      signal: observer.signal,
      onFrame: () => {
        observer.abort();
      },
    }).catch(() => []);
    await observed;
    expect((await readRun(fleet.baseUrl, runId)).cancelRequestedAt).to.equal(null);
    controller.abort();
    await until(
      'the Run to be cancelled',
      async () => (await readRun(fleet.baseUrl, runId)).status === 'CANCELLED',
    );
  });
});
