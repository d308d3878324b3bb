/** The real dashboard over real queues, behind the API's guard. */
import { expect } from 'chai';
import { Queue } from 'bullmq';
import { createDashboard } from '../../src/api/dashboard.js';
import { createRunQueue } from '../../src/shared/adapters/bullmq/run-queue.js';
import { closeRedis, connectRedis } from '../../src/shared/adapters/redis/redis-connection.js';
import { ALL_QUEUES, QUEUE_PREFIX, RUNS_QUEUE } from '../../src/shared/domain/contracts/jobs.js';
import { createLogger } from '../../src/shared/runtime/logging.js';
import { uuidIds } from '../../src/shared/runtime/identity.js';
import { sharedServers } from '../support/shared-servers.js';
import { ADMIN_TOKEN, TestApi } from './support/test-api.js';

describe('FL-6 the dashboard shows the queues, behind authentication', function () {
  this.timeout(60_000);
  let api: TestApi;
  const endings: (() => Promise<unknown>)[] = [];
  const runId = uuidIds.runId();
  before(async () => {
    const { redisUrl } = await sharedServers();
    const redis = await connectRedis(redisUrl, 'producer', createLogger('test', 'silent'));
    const queues = ALL_QUEUES.map((name) => new Queue(name, { connection: redis, prefix: QUEUE_PREFIX }));
    const runs = createRunQueue(redis);
    await runs.enqueueRun(runId, 1);
    api = await TestApi.start({ dashboard: createDashboard(queues) });
    endings.push(
      () => api.close(),
      () => runs.close(),
      async () => {
        for (const queue of queues) await queue.obliterate({ force: true });
      },
      () => Promise.all(queues.map((queue) => queue.close())),
      () => closeRedis(redis),
    );
  });
  after(async () => {
    for (const end of endings) await end();
  });

  it('its page and its own scripts come under a policy that lets nothing else in', async () => {
    const page = await api.fetch('/admin/queues', 'ann', { headers: { Accept: 'text/html' } });
    const html = await page.text();
    expect(page.status).to.equal(200);
    expect(html).to.contain('<base href="/admin/queues/"').and.to.contain('sworn');
    const script = /src="(static\/js\/main[^"]+)"/.exec(html)?.[1];
    const loaded = await api.fetch(`/admin/queues/${script}`, 'ann');
    expect(loaded.status).to.equal(200);
    expect((await api.fetch(`/admin/queues/${script}`, null)).status).to.equal(401);
  });

  it('SE-1 every queue with its jobs, whose payloads hold IDs and numbers only', async () => {
    const response = await api.fetch(
      `/admin/queues/api/queues?activeQueue=${RUNS_QUEUE}&page=1&jobsPerPage=10&status=latest`,
      'ann',
    );
    const { queues } = (await response.json()) as { queues: { name: string; jobs: { data: object }[] }[] };
    expect(queues.map(({ name }) => name)).to.have.members([...ALL_QUEUES]);
    const shown = queues.find(({ name }) => name === RUNS_QUEUE);
    expect(shown?.jobs.map(({ data }) => data)).to.deep.equal([{ runId, attempt: 1 }]);
  });

  it('an operator changes nothing; an admin pauses a queue; from a browser only by its own pages', async () => {
    const pause = (headers: Record<string, string>): Promise<Response> =>
      api.fetch(`/admin/queues/api/queues/${RUNS_QUEUE}/pause`, null, { method: 'PUT', headers });
    const basic = `Basic ${btoa(`x:${ADMIN_TOKEN}`)}`;
    expect((await pause({ Authorization: 'Bearer token-ann' })).status).to.equal(403);
    expect((await pause({ Authorization: basic, Origin: 'https://evil.example' })).status).to.equal(403);
    expect((await pause({ Authorization: basic, Origin: api.server.url })).status).to.equal(200);
    const response = await api.fetch('/admin/queues/api/queues', 'ann');
    const { queues } = (await response.json()) as { queues: { name: string; isPaused: boolean }[] };
    expect(queues.filter(({ isPaused }) => isPaused).map(({ name }) => name)).to.deep.equal([RUNS_QUEUE]);
  });
});
