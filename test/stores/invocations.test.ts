/** Single invocations: their own claims beside the Run's epoch, late results, the end of what is open. */
import { expect } from 'chai';
import { openTestStores, type TestStores } from './support/open-stores.js';
import { AT, cancelled, ending, invocation, later, ready, round, step } from './support/sample-rows.js';

describe('IV-1 invocations in MySQL', function () {
  this.timeout(20_000);
  let stores: TestStores;
  before(async () => {
    stores = await openTestStores();
  });
  after(() => stores.close());

  /** A Run with three open calls. */
  const opened = async () => {
    const fence = await stores.begin();
    await stores.store.commitRound(fence, round([invocation(1), invocation(2), invocation(3)]));
    return fence;
  };
  const state = async (runId: string, call: number) =>
    (await stores.store.invocations(runId)).find((item) => item.call === call);

  it('IV-1 a claim gives the call and what it needs of its Run', async () => {
    const { runId } = await opened();
    const claimed = await stores.store.claimInvocation(runId, 2, later(7));
    if (!claimed.ok) throw new Error('the claim was refused');
    expect(claimed.invocation).to.deep.include({
      call: 2,
      toolCallId: 'call_2',
      claim: 1,
      status: 'PROJECTING',
      startedAt: later(7),
    });
    expect(claimed.run).to.deep.include({
      runId,
      window: { from: '2026-11-30T09:00:00.000Z', to: '2026-11-30T10:00:00.000Z' },
      startedAt: AT,
      context: null,
    });
  });

  it('IV-1 a claim is refused when the call has ended, its Run has, a cancel request stands, or there is none', async () => {
    const ended = await opened();
    await stores.store.claimInvocation(ended.runId, 1, AT);
    await stores.store.endInvocation(ended.runId, 1, 1, ready());
    expect(await stores.store.claimInvocation(ended.runId, 1, AT)).to.deep.equal({
      ok: false,
      reason: 'done',
    });
    expect(await stores.store.claimInvocation(ended.runId, 8, AT)).to.deep.equal({
      ok: false,
      reason: 'unknown',
    });
    await stores.store.finalize(ended, ending());
    expect(await stores.store.claimInvocation(ended.runId, 2, AT)).to.deep.equal({
      ok: false,
      reason: 'final',
    });
    const stopped = await opened();
    await stores.intake.requestCancel(stopped.runId, AT);
    expect(await stores.store.claimInvocation(stopped.runId, 1, AT)).to.deep.equal({
      ok: false,
      reason: 'cancelled',
    });
    expect((await state(stopped.runId, 1))?.claim).to.equal(0);
  });

  it('IV-1 of workers at once the newest claim alone ends the call', async () => {
    const { runId } = await opened();
    const claims = await Promise.all(
      Array.from({ length: 10 }, () => stores.store.claimInvocation(runId, 1, AT)),
    );
    const taken = claims.flatMap((claimed) => (claimed.ok ? [claimed.invocation.claim] : []));
    expect(new Set(taken).size).to.equal(taken.length);
    expect(taken).to.include(10);
    const outcomes = await Promise.all(
      taken.map(async (claim) => ({
        claim,
        outcome: await stores.store.endInvocation(runId, 1, claim, ready({ matched: claim })),
      })),
    );
    expect(outcomes.filter(({ outcome }) => outcome === 'written')).to.deep.equal([
      { claim: 10, outcome: 'written' },
    ]);
    expect(await state(runId, 1)).to.deep.include({ status: 'READY', matched: 10 });
  });

  it('IV-1 what has ended stays: a second end under the same claim is lost', async () => {
    const { runId } = await opened();
    await stores.store.claimInvocation(runId, 1, AT);
    expect(await stores.store.endInvocation(runId, 1, 1, ready())).to.equal('written');
    const before = await state(runId, 1);
    const other = ready({
      status: 'ERROR',
      evidenceStatus: 'ERROR',
      agentResult: null,
      finishedAt: later(9999),
    });
    expect(await stores.store.endInvocation(runId, 1, 1, other)).to.equal('lost');
    expect(await state(runId, 1)).to.deep.equal(before);
  });

  it('CA-2 a result that comes after the end of its Run is discarded', async () => {
    const fence = await opened();
    await stores.store.claimInvocation(fence.runId, 1, AT);
    await stores.store.finalize(fence, ending());
    expect(await stores.store.endInvocation(fence.runId, 1, 1, ready())).to.equal('lost');
    expect(await state(fence.runId, 1)).to.deep.include({ status: 'PROJECTING', agentResult: null });
  });

  it('CA-2 what is open is closed under a claim of its own, so that a late worker writes nothing', async () => {
    const fence = await opened();
    await stores.store.claimInvocation(fence.runId, 1, AT);
    await stores.store.endInvocation(fence.runId, 1, 1, ready());
    await stores.store.claimInvocation(fence.runId, 2, AT);
    expect(await stores.store.closeOpenInvocations(fence, 'LOST', later(60))).to.deep.equal([2, 3]);
    expect(await stores.store.endInvocation(fence.runId, 2, 1, ready())).to.equal('lost');
    expect(await state(fence.runId, 1)).to.deep.include({ status: 'READY' });
    for (const call of [2, 3])
      expect(await state(fence.runId, call)).to.deep.include({
        status: 'ERROR',
        evidenceStatus: 'ERROR',
        errorCode: 'LOST',
        finishedAt: later(60),
      });
    expect(await stores.store.closeOpenInvocations(fence, 'LOST', AT)).to.deep.equal([]);
  });

  it('CA-2 a worker that no longer holds the Run closes nothing', async () => {
    const old = await opened();
    await stores.claim(old.runId);
    expect(await stores.store.closeOpenInvocations(old, 'LOST', AT)).to.deep.equal([]);
    expect((await state(old.runId, 1))?.status).to.equal('PROJECTING');
  });

  it('CA-1 nothing is in flight once a Run is final and no call of tool or model is open', async () => {
    const fence = await opened();
    const settled = () => stores.reader.isSettled(fence.runId);
    await stores.intake.requestCancel(fence.runId, AT);
    const taken = await stores.claim(fence.runId, 'cancel');
    expect(await settled()).to.equal(false);
    await stores.store.finalize(taken, ending(cancelled));
    expect(await settled()).to.equal(false);
    await stores.store.closeOpenInvocations(taken, 'CANCELLED', AT);
    expect(await settled()).to.equal(true);
    expect(await stores.reader.isSettled('run-none')).to.equal(false);
  });

  it('ID-3 IV-4 every field of a round’s rows comes back as it was written', async () => {
    const fence = await stores.begin();
    const written = step({
      output: '{"conclusion":null}',
      refusals: [{ call: 1, code: 'DUPLICATE_TOOL_CALL_ID', message: 'no' }],
    });
    const refused = invocation(1, {
      toolCallId: null,
      tool: 'unknown',
      status: 'ERROR',
      evidenceStatus: 'ERROR',
      errorCode: 'DUPLICATE_TOOL_CALL_ID',
      errorMessage: 'no',
      finishedAt: later(3),
    });
    const repeat = invocation(2, {
      status: 'READY',
      evidenceStatus: 'NO_EVIDENCE',
      repeatsCall: 1,
      scope: '{}',
      contentHash: 'd'.repeat(64),
      resultBytes: 2,
      matched: 0,
      startedAt: AT,
      finishedAt: AT,
    });
    await stores.store.commitRound(fence, round([refused, repeat], { step: written }));
    expect(await stores.store.steps(fence.runId)).to.deep.equal([written]);
    expect(await stores.store.invocations(fence.runId)).to.deep.equal([refused, repeat]);
  });
});
