/** What the fleet as a whole promises (FL-1 … FL-7, SE-1, SE-2), with real processes. */
import { expect } from 'chai';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../../src/fleet/project-root.js';
import { ask, call, diagnose, follow, readRun } from '../support/api-client.js';
import { calls, hang, json, startTestFleet, type TestFleet } from '../support/fleet.js';
import { freePort } from '../support/test-fleet.js';
import { tempFolder } from '../support/temp-folder.js';
import { until } from '../support/until.js';
import { draft, firstRound, noConclusion, routed, search, supported, WINDOW, writeLogs } from './incident.js';

describe('the fleet', function () {
  this.timeout(60_000);
  let fleet: TestFleet;
  before(async () => {
    fleet = await startTestFleet({ env: { LOG_DIR: await writeLogs(), LOG_LEVEL: 'debug' } });
  });
  after(() => fleet.stop());
  afterEach(() => {
    fleet.model.assertConsumed();
  });

  const QUERY = 'Why is QUESTION-WORDS checkout slow?';
  const start = (): Promise<string> => ask(fleet.baseUrl, QUERY, { window: WINDOW });
  const success = (): void => {
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', firstRound(), json(draft()));
    fleet.model.next('semantic', supported());
  };

  it('FL-1 a Run is taken in while the model has not even answered', async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    fleet.model.next('router', async () => {
      await held;
      return routed('OUT_OF_SCOPE');
    });
    const accepted = await call(fleet.baseUrl, 'POST', '/api/chat', { body: { query: QUERY } });
    expect(accepted.status).to.equal(202);
    expect(accepted.body).to.have.keys('sessionId', 'runId', 'status', 'links');
    release();
    const runId = String(accepted.body['runId']);
    expect((await follow(fleet.baseUrl, runId)).at(-1)?.event).to.equal('done');
  });

  it('SE-1 nothing of query, Draft or reason stands in frames before release, in jobs, or in logs', async () => {
    success();
    const runId = await start();
    const frames = await follow(fleet.baseUrl, runId);
    const words = /QUESTION-WORDS|DRAFT-WORDS|SECRET-REASON|Seven timeouts|deadlock|"timeout|calling orders/;
    const before = frames.slice(
      0,
      frames.findIndex(({ event }) => event === 'report'),
    );
    expect(before).to.have.length.greaterThan(8);
    expect(JSON.stringify(before)).not.to.match(words);
    expect(fleet.output()).not.to.match(words);
    expect(fleet.output()).to.include(runId);
    const stored: string[] = [];
    for (const key of await fleet.redis.keys('{sworn}:*'))
      if ((await fleet.redis.type(key)) === 'hash')
        stored.push(JSON.stringify(await fleet.redis.hgetall(key)));
    const jobs = stored.filter((text) => text.includes(runId));
    expect(jobs).to.have.length.greaterThan(2);
    expect(jobs.join('\n')).not.to.match(words);
  });

  it('FL-4 any replica of the API serves any Run’s stream, and resumes it', async () => {
    const port = await freePort();
    const other = await fleet.start('api', { PORT: String(port) });
    success();
    const runId = await start();
    const [here, there] = await Promise.all([
      follow(fleet.baseUrl, runId),
      follow(`http://127.0.0.1:${port}`, runId),
    ]);
    expect(there).to.deep.equal(here);
    const rest = await follow(`http://127.0.0.1:${port}`, runId, { after: 5 });
    expect(rest).to.deep.equal(here.slice(5));
    other.child.kill('SIGTERM');
    expect(await other.exited).to.equal(0);
  });

  it('FL-3 without a guard nothing is published; with one the Run ends', async () => {
    const [guard] = fleet.processes('guard');
    guard?.child.kill('SIGKILL');
    await guard?.exited;
    success();
    const runId = await start();
    await until(
      'the Draft to be asked for',
      () => fleet.model.requests.filter(({ stage }) => stage === 'diagnosis').length === 2,
    );
    expect((await readRun(fleet.baseUrl, runId)).releaseOutcome).to.equal(null);
    await fleet.start('guard');
    expect((await follow(fleet.baseUrl, runId)).at(-1)?.data['releaseOutcome']).to.equal('SUCCESS');
  });

  it('FL-2 IV-1 a worker killed in the middle of a Run: another goes on from the committed step, no tool runs twice', async () => {
    const [first] = fleet.processes('diagnosis');
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', firstRound(), hang(), json(draft()));
    fleet.model.next('semantic', supported());
    const runId = await start();
    await until(
      'the second round',
      () => fleet.model.requests.filter(({ stage }) => stage === 'diagnosis').length === 2,
    );
    const records = await recordsOf(fleet, runId);
    first?.child.kill('SIGKILL');
    await first?.exited;
    await fleet.start('diagnosis');
    const frames = await follow(fleet.baseUrl, runId);
    expect(frames.at(-1)?.data['releaseOutcome']).to.equal('SUCCESS');
    expect(frames.filter(({ event }) => event === 'done')).to.have.length(1);
    expect(frames.map(({ id }) => id)).to.deep.equal(frames.map((_, index) => index + 1));
    expect(await recordsOf(fleet, runId)).to.deep.equal(records);
  });

  it('FL-5 FL-7 a second worker with the same environment shares the work', async () => {
    const second = await fleet.start('diagnosis');
    fleet.model.always('router', routed('OUT_OF_SCOPE'));
    const runs = await Promise.all(Array.from({ length: 20 }, () => start()));
    const ends = await Promise.all(runs.map((runId) => follow(fleet.baseUrl, runId)));
    expect(ends.every((frames) => frames.at(-1)?.data['releaseOutcome'] === 'FALLBACK')).to.equal(true);
    second.child.kill('SIGTERM');
    expect(await second.exited).to.equal(0);
    const lines = (await readFile(join(projectRoot(), 'Procfile'), 'utf8')).trim().split('\n');
    expect(lines.map((line) => line.split(':')[0])).to.deep.equal(['release', 'api', 'diagnosis', 'guard']);
  });

  it('FL-2 CA-2 a Run waits out a Redis that forgets everything: it ends, and only once', async () => {
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', async () => {
      await fleet.redis.flushall();
      return calls(search('found', 'timeout'));
    });
    fleet.model.always('diagnosis', json(noConclusion({ analyses: [] })));
    const runId = await start();
    await until(
      'the Run to end',
      async () => (await readRun(fleet.baseUrl, runId)).releaseOutcome !== null,
      40_000,
    );
    expect((await readRun(fleet.baseUrl, runId)).releaseOutcome).to.equal('FALLBACK');
    const frames = await follow(fleet.baseUrl, runId);
    expect(frames.filter(({ event }) => event === 'done')).to.have.length(1);
    expect(frames.at(-1)?.event).to.equal('done');
  });
});

describe('SE-2 secrets in what tools read', function () {
  this.timeout(60_000);
  it('reach neither the model nor the report nor the trace', async () => {
    const dir = await tempFolder();
    const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
    await writeFile(
      join(dir, 'checkout.log'),
      `2026-11-30T10:10:00.000Z ERROR timeout with token ${secret}\n`,
    );
    const fleet = await startTestFleet({ env: { LOG_DIR: dir } });
    try {
      fleet.model.next('router', routed('DIAGNOSIS'));
      fleet.model.next(
        'diagnosis',
        calls(search('found', 'timeout')),
        json(draft({ analyses: draft().analyses.slice(0, 1) })),
      );
      fleet.model.next('semantic', supported());
      const { run, frames } = await diagnose(fleet.baseUrl, 'Why?', { window: WINDOW });
      expect(run.releaseOutcome).to.equal('SUCCESS');
      const trace = await call(
        fleet.baseUrl,
        'GET',
        `/api/diagnosis/${run.sessionId}/trace?runId=${run.runId}`,
      );
      const seen = JSON.stringify([run, frames, trace.body, fleet.model.requests.map(({ body }) => body)]);
      expect(seen).not.to.include(secret);
      expect(JSON.stringify(run)).to.match(/\[redacted:[a-z_]+\]/);
    } finally {
      await fleet.stop();
    }
  });
});

async function recordsOf(fleet: TestFleet, runId: string): Promise<Record<string, string>[]> {
  const keys = (await fleet.redis.keys(`sworn:run:{${runId}}:inv:*`)).sort();
  return Promise.all(keys.map((key) => fleet.redis.hgetall(key)));
}
