/** Claims of a Run, and its one end, on a real server. */
import { expect } from 'chai';
import { openTestStores, type TestStores } from './support/open-stores.js';
import { AT, cancelled, ending, later } from './support/sample-rows.js';

describe('CA-2 claims and the one end', function () {
  this.timeout(20_000);
  let stores: TestStores;
  before(async () => {
    stores = await openTestStores();
  });
  after(() => stores.close());
  const status = async (runId: string) => (await stores.store.load(runId))?.status;

  it('CA-1 diagnose takes QUEUED and RUNNING, with a new epoch each time, and keeps when it began', async () => {
    const runId = await stores.create();
    const first = await stores.store.claim(runId, 'diagnose', 1, later(1));
    const second = await stores.store.claim(runId, 'diagnose', 1, later(2));
    if (!first.ok || !second.ok) throw new Error('a claim was refused');
    expect([first.run.epoch, second.run.epoch]).to.deep.equal([1, 2]);
    expect(second.run).to.deep.include({ status: 'RUNNING', startedAt: later(1) });
    await stores.claim(runId, 'review');
    expect(await stores.store.claim(runId, 'diagnose', 1, AT)).to.deep.equal({
      ok: false,
      reason: 'elsewhere',
    });
  });

  it('CA-1 a transition counts one frame, a repeated claim none', async () => {
    const runId = await stores.create();
    const seq = async () => (await stores.store.load(runId))?.frameSeq;
    expect(await seq()).to.equal(2);
    await stores.claim(runId);
    await stores.claim(runId);
    expect(await seq()).to.equal(3);
    await stores.claim(runId, 'review');
    await stores.claim(runId, 'review');
    expect(await seq()).to.equal(4);
  });

  it('CA-1 a claim of another attempt is refused, and moves nothing', async () => {
    const runId = await stores.create();
    expect(await stores.sweep.nextAttempt(runId, 1)).to.equal(2);
    for (const purpose of ['diagnose', 'review'] as const)
      expect(await stores.store.claim(runId, purpose, 1, AT)).to.deep.equal({
        ok: false,
        reason: 'elsewhere',
      });
    expect(await stores.store.load(runId)).to.deep.include({ epoch: 0, status: 'QUEUED' });
    expect((await stores.store.claim(runId, 'diagnose', 2, AT)).ok).to.equal(true);
  });

  it('CA-1 the claim tests the cancel request; only a cancelling claim takes such a Run, and no other', async () => {
    const runId = await stores.create();
    expect(await stores.store.claim(runId, 'cancel', null, AT)).to.deep.equal({
      ok: false,
      reason: 'elsewhere',
    });
    expect(await stores.intake.requestCancel(runId, AT)).to.equal('requested');
    for (const purpose of ['diagnose', 'review'] as const)
      expect(await stores.store.claim(runId, purpose, 1, AT)).to.deep.equal({
        ok: false,
        reason: 'cancelled',
      });
    const taken = await stores.store.claim(runId, 'cancel', null, AT);
    expect(taken.ok && taken.run).to.deep.include({ status: 'QUEUED', startedAt: null, epoch: 1 });
  });

  it('CA-2 no claim takes a Run that has ended, or one that does not exist', async () => {
    const fence = await stores.begin();
    await stores.store.finalize(fence, ending());
    for (const purpose of ['diagnose', 'review', 'cancel'] as const) {
      expect(await stores.store.claim(fence.runId, purpose, null, AT)).to.deep.equal({
        ok: false,
        reason: 'final',
      });
      expect(await stores.store.claim('run-none', purpose, null, AT)).to.deep.equal({
        ok: false,
        reason: 'unknown',
      });
    }
  });

  it('CA-2 of claims at once each has its own epoch, and the newest alone may write', async () => {
    const runId = await stores.create();
    const claims = await Promise.all(
      Array.from({ length: 20 }, () => stores.store.claim(runId, 'diagnose', 1, AT)),
    );
    const epochs = claims.flatMap((claimed) => (claimed.ok ? [claimed.run.epoch] : []));
    expect(new Set(epochs).size).to.equal(epochs.length);
    expect(epochs).to.include(20);
    const outcomes = await Promise.all(
      epochs.map(async (epoch) => ({
        epoch,
        outcome: await stores.store.reserveModelCall({ runId, epoch }),
      })),
    );
    expect(outcomes.filter(({ outcome }) => outcome === 'written').map(({ epoch }) => epoch)).to.deep.equal([
      20,
    ]);
  });

  it('CA-2 twenty finalizers with different epochs: one ends the Run, once', async () => {
    for (let time = 0; time < 5; time += 1) {
      const runId = await stores.create();
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, async (_, index) => {
          const claimed = await stores.store.claim(runId, 'review', null, AT);
          if (!claimed.ok) return { index, outcome: claimed.reason };
          const fence = { runId, epoch: claimed.run.epoch };
          return { index, outcome: await stores.store.finalize(fence, ending({ finishedAt: later(index) })) };
        }),
      );
      const winners = outcomes.filter(({ outcome }) => outcome === 'written');
      expect(winners).to.have.length(1);
      const record = await stores.reader.run(runId);
      expect(record?.view.finishedAt).to.equal(later(winners[0]?.index ?? -1).toISOString());
    }
  });

  it('CA-2 of a finalizer and a cancel request at once, the Run ends as the row says, and never as both', async () => {
    for (let time = 0; time < 20; time += 1) {
      const fence = await stores.begin();
      const [outcome, asked] = await Promise.all([
        stores.store.finalize(fence, ending()),
        stores.intake.requestCancel(fence.runId, later(1)),
      ]);
      if (outcome === 'written') {
        expect(asked).to.equal('finished');
        expect(await status(fence.runId)).to.equal('COMPLETED');
        continue;
      }
      expect([outcome, asked]).to.deep.equal(['cancelled', 'requested']);
      const taken = await stores.claim(fence.runId, 'cancel');
      expect(await stores.store.finalize(taken, ending(cancelled))).to.equal('written');
      expect(await status(fence.runId)).to.equal('CANCELLED');
    }
  });

  it('CA-2 after a cancel request only CANCELLED can be finalized', async () => {
    const fence = await stores.begin();
    await stores.intake.requestCancel(fence.runId, AT);
    for (const outcome of ['SUCCESS', 'FALLBACK', 'FAILED'] as const)
      expect(await stores.store.finalize(fence, ending({ outcome }))).to.equal('cancelled');
    expect(await stores.store.finalize(fence, ending(cancelled))).to.equal('written');
    expect(await stores.intake.requestCancel(fence.runId, AT)).to.equal('finished');
    expect(await stores.intake.requestCancel('run-none', AT)).to.equal('unknown');
  });

  it('CA-1 a second cancel request keeps the time of the first', async () => {
    const runId = await stores.create();
    await stores.intake.requestCancel(runId, later(1));
    expect(await stores.intake.requestCancel(runId, later(2))).to.equal('requested');
    expect((await stores.store.load(runId))?.cancelRequestedAt).to.deep.equal(later(1));
  });

  it('FL-4 the last frame’s number is kept once, and the highest number never falls', async () => {
    const runId = await stores.create();
    await stores.store.raiseFrameSeq(runId, 9);
    await stores.store.raiseFrameSeq(runId, 4);
    await stores.store.recordFrameCount(runId, 11);
    await stores.store.recordFrameCount(runId, 12);
    expect(await stores.store.load(runId)).to.deep.include({ frameSeq: 9, frameCount: 11 });
  });
});
