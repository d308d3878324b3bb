/** What the outside reads: sessions, Runs page by page, the last intent, the previous turn, tokens. */
import { expect } from 'chai';
import type { NewRun } from '../../src/shared/ports/run-intake.js';
import type { Finalization } from '../../src/shared/ports/run-store.js';
import type { Intent } from '../../src/shared/domain/contracts/verdict.js';
import { uuidIds } from '../../src/shared/runtime/identity.js';
import { failureOf } from './support/failure.js';
import { openTestStores, type TestStores } from './support/open-stores.js';
import { AT, cancelled, ending, later, newRun, published, round, step } from './support/sample-rows.js';

describe('SR-4 reading Runs', function () {
  this.timeout(20_000);
  let stores: TestStores;
  before(async () => {
    stores = await openTestStores();
  });
  after(() => stores.close());

  /** A Run of the session, ended in that way. */
  const ended = async (
    change: Partial<NewRun>,
    end: Partial<Finalization> = {},
    intent: Intent | null = 'DIAGNOSIS',
  ): Promise<string> => {
    const fence = await stores.begin(change);
    if (intent !== null)
      await stores.store.commitRound(
        fence,
        round([], { step: step({ stage: 'router' }), intent, frames: 1 }),
      );
    if (end.outcome === 'CANCELLED') await stores.intake.requestCancel(fence.runId, AT);
    if ((await stores.store.finalize(fence, ending(end))) !== 'written') throw new Error('not finalized');
    return fence.runId;
  };

  it('SR-4 newest first, page by page, each Run once, and no other session’s', async () => {
    const sessionId = uuidIds.sessionId();
    const all: string[] = [];
    for (let index = 0; index < 7; index += 1) {
      all.unshift(await stores.create({ sessionId, createdAt: later(index) }));
      await stores.create();
    }
    const seen: string[] = [];
    for (let before: string | null = null; ;) {
      const page: { runId: string }[] = await stores.reader.runs(sessionId, 3, before);
      if (page.length === 0) break;
      expect(page.length).to.be.at.most(3);
      seen.push(...page.map(({ runId }) => runId));
      before = seen.at(-1) ?? null;
    }
    expect(seen).to.deep.equal(all);
    expect(await stores.reader.latestRunId(sessionId)).to.equal(all[0]);
    expect(await stores.reader.latestRunId('ses-none')).to.equal(null);
  });

  it('SR-2 a Trace holds its own Run’s rows alone', async () => {
    const sessionId = uuidIds.sessionId();
    const one = await ended({ sessionId });
    const other = await ended({ sessionId });
    const { steps } = await stores.reader.details(one);
    expect(steps).to.have.length(1);
    expect((await stores.reader.details(other)).steps).to.have.length(1);
    expect(await stores.reader.details('run-none')).to.deep.equal({ steps: [], invocations: [] });
  });

  it('SR-8 a finished Run is read from its row: intent, outcome, times', async () => {
    const run = newRun({ onDisconnect: 'cancel', visibility: 'shared' });
    await ended(run, {
      publicResult: {
        fallback: {
          type: 'OUT_OF_SCOPE',
          message: 'm',
          verified_sources: [],
          observed_facts: [],
          missing_context: [],
        },
      },
      outcome: 'FALLBACK',
    });
    const record = await stores.reader.run(run.runId);
    expect(record?.view).to.deep.include({
      intent: 'DIAGNOSIS',
      status: 'COMPLETED',
      releaseOutcome: 'FALLBACK',
      startedAt: AT.toISOString(),
      finishedAt: later(1000).toISOString(),
      cancelRequestedAt: null,
    });
    expect(record?.view.fallback?.type).to.equal('OUT_OF_SCOPE');
    expect(record).to.deep.include({
      session: { sessionId: run.sessionId, principal: 'alice', visibility: 'shared' },
      onDisconnect: 'cancel',
      attempt: 1,
      frameCount: null,
    });
    expect(await stores.reader.run('run-none')).to.equal(null);
  });

  it('SR-9 previous_turn is the latest DIAGNOSIS + SUCCESS; fallbacks, failures and cancelled Runs are none', async () => {
    const sessionId = uuidIds.sessionId();
    const previous = async () => (await stores.history.previousTurn(sessionId))?.published_conclusion ?? null;
    expect(await previous()).to.equal(null);
    await ended({ sessionId }, { publishedResult: published('first'), finishedAt: later(1) });
    await ended({ sessionId }, { publishedResult: published('second'), finishedAt: later(2) });
    expect(await previous()).to.equal('second');
    await ended(
      { sessionId },
      { outcome: 'FALLBACK', publishedResult: published('x'), finishedAt: later(3) },
    );
    await ended(
      { sessionId },
      { outcome: 'FAILED', status: 'FAILED', publishedResult: published('x'), finishedAt: later(4) },
    );
    await ended({ sessionId }, { ...cancelled, publishedResult: published('x'), finishedAt: later(5) });
    await ended({ sessionId }, { publishedResult: published('x'), finishedAt: later(6) }, 'KNOWLEDGE_QUERY');
    await ended({ sessionId }, { publishedResult: null, finishedAt: later(7) });
    await ended({}, { publishedResult: published('another session'), finishedAt: later(8) });
    await stores.begin({ sessionId });
    expect(await previous()).to.equal('second');
  });

  it('SR-13 last_intent is that of the latest finalized Run, whatever its outcome', async () => {
    const sessionId = uuidIds.sessionId();
    const last = () => stores.history.lastIntent(sessionId);
    expect(await last()).to.equal(null);
    await ended({ sessionId }, { finishedAt: later(1) }, 'DIAGNOSIS');
    await ended({ sessionId }, { outcome: 'FALLBACK', finishedAt: later(2) }, 'OUT_OF_SCOPE');
    expect(await last()).to.equal('OUT_OF_SCOPE');
    const open = await stores.begin({ sessionId });
    await stores.store.commitRound(open, round([], { intent: 'KNOWLEDGE_QUERY' }));
    expect(await last()).to.equal('OUT_OF_SCOPE');
  });

  it('FL-1 a session belongs to its principal; another’s attempt makes no Run and moves nothing', async () => {
    const run = newRun();
    await stores.create(run);
    const [before] = await stores.database.query<object[]>(
      'SELECT * FROM chat_session WHERE session_id = ?',
      [run.sessionId],
    );
    const stranger = newRun({ sessionId: run.sessionId, principal: 'Alice', createdAt: later(9000) });
    expect(await stores.intake.create(stranger)).to.equal('conflict');
    expect(await stores.reader.run(stranger.runId)).to.equal(null);
    const [after] = await stores.database.query<object[]>('SELECT * FROM chat_session WHERE session_id = ?', [
      run.sessionId,
    ]);
    expect(after).to.deep.equal(before);
  });

  it('FL-1 a shared session is continued by others and keeps its owner', async () => {
    const run = newRun({ visibility: 'shared' });
    await stores.create(run);
    expect(
      await stores.intake.create(
        newRun({ sessionId: run.sessionId, principal: 'bob', createdAt: later(10) }),
      ),
    ).to.equal('created');
    expect(await stores.reader.session(run.sessionId)).to.deep.equal({
      sessionId: run.sessionId,
      principal: 'alice',
      visibility: 'shared',
    });
    expect(await stores.reader.session('ses-none')).to.equal(null);
  });

  it('FL-1 a session that comes into being at once under two principals has one owner', async () => {
    for (let time = 0; time < 5; time += 1) {
      const sessionId = uuidIds.sessionId();
      const outcomes = await Promise.all(
        ['alice', 'bob', 'alice', 'bob'].map((principal) =>
          stores.intake.create(newRun({ sessionId, principal })),
        ),
      );
      const owner = (await stores.reader.session(sessionId))?.principal;
      expect(outcomes).to.deep.equal(
        ['alice', 'bob', 'alice', 'bob'].map((name) => (name === owner ? 'created' : 'conflict')),
      );
    }
  });

  it('CA-2 what the sweeper looks for: unfinished Runs and unpublished ends, oldest first, none too young', async () => {
    const base = Date.parse('2020-01-01T00:00:00Z');
    const at = (minute: number): Date => new Date(base + minute * 60_000);
    const second = await stores.begin({ createdAt: at(2) });
    const first = await stores.create({ createdAt: at(1) });
    await stores.intake.requestCancel(first, at(3));
    const final = await ended({ createdAt: at(0) }, { finishedAt: at(4) });
    expect(await stores.sweep.unfinished(at(3), null, 10)).to.deep.equal([
      {
        runId: first,
        attempt: 1,
        status: 'QUEUED',
        createdAt: at(1),
        startedAt: null,
        cancelRequestedAt: at(3),
      },
      {
        runId: second.runId,
        attempt: 1,
        status: 'RUNNING',
        createdAt: at(2),
        startedAt: (await stores.store.load(second.runId))?.startedAt,
        cancelRequestedAt: null,
      },
    ]);
    const [oldest] = await stores.sweep.unfinished(at(3), null, 1);
    const behind = await stores.sweep.unfinished(at(3), oldest ?? null, 1);
    expect(behind.map(({ runId }) => runId)).to.deep.equal([second.runId]);
    expect((await stores.sweep.unfinished(at(2), null, 10)).map(({ runId }) => runId)).to.deep.equal([first]);
    expect((await stores.sweep.unfinished(at(3), null, 1)).map(({ runId }) => runId)).to.deep.equal([first]);
    expect(await stores.sweep.unpublished(at(4), 10)).to.deep.equal([]);
    expect(await stores.sweep.unpublished(at(5), 10)).to.deep.equal([final]);
    await stores.store.recordFrameCount(final, 5);
    expect(await stores.sweep.unpublished(at(5), 10)).to.deep.equal([]);
    expect(await stores.sweep.nextAttempt(final, 1)).to.equal(null);
    const attempts = await Promise.all([1, 1, 1].map((attempt) => stores.sweep.nextAttempt(first, attempt)));
    expect(attempts.sort()).to.deep.equal([2, null, null].sort());
  });
});

describe('FL-6 tokens', function () {
  this.timeout(20_000);
  let stores: TestStores;
  before(async () => {
    stores = await openTestStores();
  });
  after(() => stores.close());
  const hash = (letter: string): string => letter.repeat(64);
  const create = (letter: string, expiresAt: Date | null = null) =>
    stores.tokens.create({
      principal: letter,
      role: 'operator',
      hash: hash(letter),
      prefix: `sw_${letter}`,
      expiresAt,
    });

  it('FL-6 a token is found by its hash until it expires or is revoked', async () => {
    await create('a');
    await create('b', AT);
    expect(await stores.tokens.find(hash('a'), AT)).to.deep.equal({ principal: 'a', role: 'operator' });
    expect(await stores.tokens.find(hash('A'), AT)).to.equal(null);
    expect(await stores.tokens.find(hash('b'), later(-1))).to.deep.equal({
      principal: 'b',
      role: 'operator',
    });
    expect(await stores.tokens.find(hash('b'), AT)).to.equal(null);
    expect(await stores.tokens.revoke('sw_a')).to.equal(true);
    expect(await stores.tokens.find(hash('a'), AT)).to.equal(null);
    expect(await stores.tokens.revoke('sw_none')).to.equal(false);
  });

  it('FL-6 the list tells when a token was revoked, once, and shows no hash', async () => {
    await create('c');
    await stores.tokens.revoke('sw_c');
    const revokedAt = async () =>
      (await stores.tokens.list()).find(({ prefix }) => prefix === 'sw_c')?.revokedAt;
    const first = await revokedAt();
    expect(first).to.be.a('string');
    await stores.tokens.revoke('sw_c');
    expect(await revokedAt()).to.equal(first);
    expect(JSON.stringify(await stores.tokens.list())).not.to.include(hash('c'));
  });

  it('FL-6 a prefix names one token', async () => {
    await create('d');
    expect(
      await failureOf(
        stores.tokens.create({
          principal: 'e',
          role: 'admin',
          hash: hash('e'),
          prefix: 'sw_d',
          expiresAt: null,
        }),
      ),
    ).to.have.property('name', 'QueryFailedError');
    expect(await stores.tokens.find(hash('e'), AT)).to.equal(null);
  });
});
