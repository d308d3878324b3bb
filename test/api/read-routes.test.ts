/** Reading Runs and Traces, asking a Run to stop, health. */
import { expect } from 'chai';
import type { RunSummary, RunView } from '../../src/shared/domain/contracts/run.js';
import type { Trace, TraceInvocation, TraceStep } from '../../src/shared/domain/contracts/trace.js';
import { TestApi, type Person } from './support/test-api.js';
import { until } from './support/until.js';

async function json<T>(response: Response): Promise<T> {
  return (await response.json()) as T;
}

const AT = '2026-01-01T00:00:00.000Z';
const WINDOW = { from: AT, to: '2026-01-01T01:00:00.000Z' };
const STEP: TraceStep = {
  stage: 'diagnosis',
  round: 1,
  state: 'COMMITTED',
  outcome: 'DRAFT',
  attempts: 1,
  model: 'm',
  promptTokens: 1,
  completionTokens: 1,
  durationMs: 1,
  startedAt: AT,
  finishedAt: AT,
  inputHash: 'ab',
  toolCalls: [{ call: 1, tool: 'log_search' }],
  output: 'MODEL WORDS',
};
const INVOCATION: TraceInvocation = {
  call: 1,
  round: 1,
  tool: 'log_search',
  status: 'READY',
  evidenceStatus: 'EVIDENCE_FOUND',
  errorCode: null,
  scope: { window: WINDOW, query: 'MODEL QUERY', service: 'MODEL SERVICE', level: 'ERROR', limit: 50 },
  startedAt: AT,
  finishedAt: AT,
  durationMs: 3,
  toolCallId: 'MODEL CALL',
  projection: { entries: ['PROJECTED'] },
};

describe('SR-2 the Trace', () => {
  let api: TestApi;
  let run: { runId: string; sessionId: string };
  beforeEach(async () => {
    api = await TestApi.start();
    run = await api.ask('ann', { visibility: 'shared' });
    api.stores.runs.traces.set(run.runId, { steps: [STEP], invocations: [INVOCATION] });
  });
  afterEach(() => api.close());

  const trace = (person: Person, query = ''): Promise<Response> =>
    api.fetch(`/api/diagnosis/${run.sessionId}/trace${query}`, person);

  for (const person of ['ann', 'root'] as const)
    it(`SE-1 while the Run is going ${person} sees identities, statuses and typed scopes alone`, async () => {
      const text = await (await trace(person)).text();
      expect(text).to.not.contain('MODEL').and.to.not.contain('PROJECTED');
      const shown = JSON.parse(text) as Trace;
      expect(shown.toolInvocations[0]).to.deep.include({
        call: 1,
        status: 'READY',
        scope: { window: WINDOW, level: 'ERROR', limit: 50 },
      });
      expect(shown.steps[0]).to.include({ stage: 'diagnosis', outcome: 'DRAFT', startedAt: AT });
    });

  it('after its end projections and whole scopes are for all, the model’s words for admins alone', async () => {
    await api.finish(run.runId, 'CANCELLED');
    for (const person of ['ann', 'vic'] as const) {
      const shown = await json<Trace>(await trace(person));
      expect(shown.toolInvocations).to.deep.equal([INVOCATION]);
      expect(shown.steps[0]).to.not.have.property('output');
    }
    expect((await json<Trace>(await trace('root'))).steps).to.deep.equal([STEP]);
  });

  it('SR-3 the latest Run, observably so; ?runId= that Run; one of another session is 404', async () => {
    const second = await api.ask('ann', { sessionId: run.sessionId });
    const latest = await json<Trace>(await trace('ann'));
    expect([latest.run.runId, latest.resolvedBy]).to.deep.equal([second.runId, 'latest']);
    const named = await json<Trace>(await trace('ann', `?runId=${run.runId}`));
    expect([named.run.runId, named.resolvedBy]).to.deep.equal([run.runId, 'runId']);
    const other = await api.ask('ann');
    for (const runId of [other.runId, 'nonsense']) {
      const response = await trace('ann', `?runId=${runId}`);
      expect([response.status, (await json<{ code: string }>(response)).code]).to.deep.equal([
        404,
        'RUN_NOT_IN_SESSION',
      ]);
    }
  });
});

describe('SR-4 the Runs of a session', () => {
  let api: TestApi;
  beforeEach(async () => {
    api = await TestApi.start();
  });
  afterEach(() => api.close());

  it('newest first, page by page, without results', async () => {
    const made: string[] = [];
    for (let turn = 0; turn < 5; turn += 1) made.push((await api.ask('ann', { sessionId: 's' })).runId);
    const found: string[] = [];
    let before = '';
    for (;;) {
      const response = await api.fetch(`/api/chat/session/s/runs?limit=2${before}`, 'ann');
      const page = await json<{ runs: RunSummary[]; nextBefore: string | null }>(response);
      found.push(...page.runs.map(({ runId }) => runId));
      for (const each of page.runs)
        expect(each).to.not.have.any.keys('report', 'knowledge', 'fallback', 'coverage');
      if (page.nextBefore === null) break;
      before = `&before=${page.nextBefore}`;
    }
    expect(found).to.deep.equal(made.reverse());
  });

  for (const query of ['limit=0', 'limit=101', 'limit=x', 'limit=1&limit=2', 'before=x', 'page=2'])
    it(`400 for ?${query}`, async () => {
      await api.ask('ann', { sessionId: 's' });
      expect((await api.fetch(`/api/chat/session/s/runs?${query}`, 'ann')).status).to.equal(400);
    });

  it('a finished Run answers with its result', async () => {
    const { runId } = await api.ask('ann');
    const knowledge = { answer: 'a [1]', references: [], limitations: [] };
    await api.finish(runId, 'SUCCESS', { knowledge });
    const shown = await json<RunView>(await api.fetch(`/api/runs/${runId}`, 'ann'));
    expect(shown).to.deep.include({ runId, status: 'COMPLETED', releaseOutcome: 'SUCCESS', knowledge });
  });
});

describe('CA-1 POST /api/runs/{runId}/cancel', () => {
  let api: TestApi;
  let runId: string;
  beforeEach(async () => {
    api = await TestApi.start();
    ({ runId } = await api.ask('ann'));
  });
  afterEach(() => api.close());

  const cancel = (headers: Record<string, string> = {}): Promise<Response> =>
    api.fetch(`/api/runs/${runId}/cancel`, 'ann', { method: 'POST', headers });

  it('records the request, tells the workers, and answers 202; again is as good', async () => {
    for (const _turn of [1, 2]) {
      const response = await cancel();
      expect([response.status, await response.json()]).to.deep.equal([202, { state: 'requested' }]);
    }
    expect(api.stores.runs.records.get(runId)?.view.cancelRequestedAt).to.be.a('string');
    expect(api.stores.log.notified).to.deep.equal([runId, runId]);
  });

  it('is recorded even while Redis is away', async () => {
    api.stores.log.away = true;
    expect((await cancel()).status).to.equal(202);
    expect(api.stores.runs.records.get(runId)?.view.cancelRequestedAt).to.be.a('string');
  });

  it('409 RUN_FINISHED on a Run that has ended', async () => {
    await api.finish(runId, 'CANCELLED');
    const response = await cancel();
    expect([response.status, (await json<{ code: string }>(response)).code]).to.deep.equal([
      409,
      'RUN_FINISHED',
    ]);
  });

  it('CA-2 with Prefer: wait, stopped means that nothing of the Run is in flight any more', async () => {
    api.stores.runs.inFlight.add(runId);
    const answer = cancel({ Prefer: 'wait=100' });
    await until(() => api.stores.log.listeners(runId) === 1, 'the wait listens');
    let answered = false;
    void answer.then(() => (answered = true));
    const checks = api.stores.runs.settledChecks;
    await api.finish(runId, 'CANCELLED');
    await until(() => api.stores.runs.settledChecks > checks, 'it looked after the end');
    await api.fetch('/healthz', null);
    expect(answered).to.equal(false);
    api.stores.runs.inFlight.delete(runId);
    await api.publish(runId, 'tool:1:ERROR', { event: 'status', data: { status: 'CANCELLED' } });
    const response = await answer;
    expect([response.status, await response.json()]).to.deep.equal([
      200,
      { state: 'stopped', status: 'CANCELLED', releaseOutcome: 'CANCELLED' },
    ]);
  });

  it('CA-2 when the time is over it claims no more than the request', async () => {
    const response = await cancel({ Prefer: 'wait=0' });
    expect([response.status, await response.json()]).to.deep.equal([202, { state: 'requested' }]);
  });
});

describe('liveness and readiness', () => {
  it('a bare status; not ready, failing and hanging checks are 503; one check serves many', async () => {
    let checks = 0;
    let outcome: () => Promise<boolean> = () => Promise.resolve(false);
    const api = await TestApi.start({
      ready: () => {
        checks += 1;
        return outcome();
      },
    });
    try {
      const answers = await Promise.all([1, 2, 3].map(() => api.fetch('/readyz', null)));
      expect(answers.map(({ status }) => status)).to.deep.equal([503, 503, 503]);
      expect(checks).to.equal(1);
      expect(await json(await api.fetch('/healthz', null))).to.deep.equal({ status: 'ok' });
      outcome = () => Promise.reject(new Error('away'));
      await until(
        async () => (await api.fetch('/readyz', null)).status === 503 && checks === 2,
        'it asks again',
      );
      outcome = () => Promise.resolve(true);
      await until(async () => (await api.fetch('/readyz', null)).status === 200, 'it is ready');
      expect(await json(await api.fetch('/readyz', null))).to.deep.equal({ status: 'ok' });
    } finally {
      await api.close();
    }
  });
});
