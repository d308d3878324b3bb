/** The fence that every write of a Run carries, on a real server. */
import { expect } from 'chai';
import type { Fence, RunContext, RunStore, WriteOutcome } from '../../src/shared/ports/run-store.js';
import { openTestStores, type TestStores } from './support/open-stores.js';
import { AT, ending, guardStep, invocation, later, newRun, round, step } from './support/sample-rows.js';

const CONTEXT: RunContext = {
  conversation: [{ query: 'before?', answer: 'that' }],
  lastIntent: 'DIAGNOSIS',
  previousTurn: null,
  material: { services: ['checkout'], databases: [] },
};

/** Every write that carries a Run's fence. */
const WRITES: Readonly<Record<string, (store: RunStore, fence: Fence) => Promise<WriteOutcome | 'exists'>>> =
  {
    saveContext: (store, fence) => store.saveContext(fence, CONTEXT),
    reserveModelCall: (store, fence) => store.reserveModelCall(fence),
    recordStop: (store, fence) => store.recordStop(fence, 'BUDGET'),
    beginGuardStep: (store, fence) => store.beginGuardStep(fence, guardStep({ round: 2 })),
    commitRound: (store, fence) =>
      store.commitRound(fence, round([invocation(9)], { step: step({ round: 9 }) })),
    finalize: (store, fence) => store.finalize(fence, ending()),
  };

describe('CA-2 the fence of every write', function () {
  this.timeout(20_000);
  let stores: TestStores;
  before(async () => {
    stores = await openTestStores();
  });
  after(() => stores.close());

  /** All rows of a Run, as they stand. */
  const rows = async (runId: string): Promise<unknown[]> =>
    Promise.all(
      ['diagnosis_run', 'agent_step', 'tool_invocation'].map((table) =>
        stores.database.query(`SELECT * FROM ${table} WHERE run_id = ?`, [runId]),
      ),
    );

  for (const [name, write] of Object.entries(WRITES)) {
    it(`CA-2 ${name} under an older epoch changes nothing and says lost`, async () => {
      const old = await stores.begin();
      await stores.claim(old.runId);
      const before = await rows(old.runId);
      expect(await write(stores.store, old)).to.equal('lost');
      expect(await rows(old.runId)).to.deep.equal(before);
    });

    it(`CA-1 ${name} after a cancel request changes nothing and says cancelled`, async () => {
      const fence = await stores.begin();
      await stores.intake.requestCancel(fence.runId, later(10));
      const before = await rows(fence.runId);
      expect(await write(stores.store, fence)).to.equal('cancelled');
      expect(await rows(fence.runId)).to.deep.equal(before);
    });

    it(`CA-2 ${name} after the end changes nothing and says lost`, async () => {
      const fence = await stores.begin();
      expect(await stores.store.finalize(fence, ending({ outcome: 'FALLBACK' }))).to.equal('written');
      const before = await rows(fence.runId);
      expect(await write(stores.store, fence)).to.equal('lost');
      expect(await rows(fence.runId)).to.deep.equal(before);
    });

    it(`CA-2 ${name} under the current epoch is written`, async () => {
      const fence = await stores.begin();
      const before = await rows(fence.runId);
      expect(await write(stores.store, fence)).to.equal('written');
      expect(await rows(fence.runId)).not.to.deep.equal(before);
    });
  }

  it('SG-6 the end of a guard’s attempt under an older epoch counts nothing and keeps none of its words', async () => {
    for (const lose of ['newer', 'cancel', 'final'] as const) {
      const fence = await stores.begin();
      await stores.store.beginGuardStep(fence, guardStep());
      if (lose === 'newer') await stores.claim(fence.runId, 'review');
      if (lose === 'cancel') await stores.intake.requestCancel(fence.runId, AT);
      if (lose === 'final') await stores.store.finalize(fence, ending());
      const before = await stores.store.load(fence.runId);
      const end = guardStep({
        state: 'COMMITTED',
        outcome: 'SUPPORTED',
        output: 'LATE WORDS',
        finishedAt: later(9),
      });
      expect(await stores.store.endGuardStep(fence, end, 500, ['late-model'])).to.equal(
        lose === 'cancel' ? 'cancelled' : 'lost',
      );
      expect(await stores.store.load(fence.runId)).to.deep.equal(before);
      const [kept] = await stores.store.steps(fence.runId);
      expect(kept).to.include({ state: 'FAILED', outcome: 'DISCARDED', output: null });
    }
  });

  it('SG-4 one that a crash left begun ends as lost, and cannot be ended again', async () => {
    const fence = await stores.begin();
    await stores.store.beginGuardStep(fence, guardStep());
    expect(await stores.reader.isSettled(fence.runId)).to.equal(false);
    await stores.store.abandonGuardSteps(fence, later(50));
    await stores.store.endGuardStep(fence, guardStep({ state: 'COMMITTED', outcome: 'SUPPORTED' }), 1);
    const [kept] = await stores.store.steps(fence.runId);
    expect(kept).to.deep.include({ state: 'FAILED', outcome: 'LOST', finishedAt: later(50) });
  });

  it('SG-4 an attempt begun twice exists, and its model call counts once', async () => {
    const fence = await stores.begin();
    const outcomes = await Promise.all([
      stores.store.beginGuardStep(fence, guardStep()),
      stores.store.beginGuardStep(fence, guardStep()),
      stores.store.beginGuardStep(fence, guardStep()),
    ]);
    expect(outcomes.sort()).to.deep.equal(['exists', 'exists', 'written']);
    expect((await stores.store.load(fence.runId))?.modelCalls).to.equal(1);
    expect(await stores.store.steps(fence.runId)).to.have.length(1);
    expect(await stores.store.beginGuardStep(fence, guardStep({ round: 2 }))).to.equal('written');
    expect((await stores.store.load(fence.runId))?.modelCalls).to.equal(2);
  });

  it('IV-4 a round committed twice stands once, and nothing of it is counted twice', async () => {
    const fence = await stores.begin();
    const commit = round([invocation(1), invocation(2)], { intent: 'DIAGNOSIS', models: ['m1'] });
    expect(await stores.store.commitRound(fence, commit)).to.equal('written');
    const once = await rows(fence.runId);
    expect(await stores.store.commitRound(fence, commit)).to.equal('written');
    expect(await rows(fence.runId)).to.deep.equal(once);
    expect(await stores.store.load(fence.runId)).to.deep.include({
      rounds: 1,
      toolCalls: 2,
      tokens: 120,
      intent: 'DIAGNOSIS',
      models: ['m1'],
      frameSeq: 3 + 5,
    });
  });

  it('ID-2 a tool call ID that stands already is refused with its whole round', async () => {
    const fence = await stores.begin();
    await stores.store.commitRound(fence, round([invocation(1)]));
    const before = await rows(fence.runId);
    const again = round([invocation(2, { toolCallId: 'call_1', round: 2 })], { step: step({ round: 2 }) });
    let failed = false;
    await stores.store.commitRound(fence, again).catch(() => {
      failed = true;
    });
    expect(failed).to.equal(true);
    expect(await rows(fence.runId)).to.deep.equal(before);
  });

  it('ID-2 IDs that differ in case alone are two; refused calls have none and stand side by side', async () => {
    const fence = await stores.begin();
    const calls = [
      invocation(1, { toolCallId: 'Call' }),
      invocation(2, { toolCallId: 'call' }),
      invocation(3, { toolCallId: null, status: 'ERROR' }),
      invocation(4, { toolCallId: null, status: 'ERROR' }),
    ];
    expect(await stores.store.commitRound(fence, round(calls))).to.equal('written');
    expect((await stores.store.invocations(fence.runId)).map(({ toolCallId }) => toolCallId)).to.deep.equal([
      'Call',
      'call',
      null,
      null,
    ]);
  });

  it('SR-1 steps and invocations carry their session', async () => {
    const run = newRun();
    const fence = await stores.begin(run);
    await stores.store.commitRound(fence, round([invocation(1)]));
    for (const table of ['agent_step', 'tool_invocation']) {
      expect(
        await stores.database.query(`SELECT run_id, session_id FROM ${table} WHERE run_id = ?`, [run.runId]),
      ).to.deep.equal([{ run_id: run.runId, session_id: run.sessionId }]);
    }
  });

  it('SR-1 a context and a stop come back as they were saved', async () => {
    const fence = await stores.begin();
    await stores.store.saveContext(fence, CONTEXT);
    await stores.store.recordStop(fence, 'SATURATION');
    expect(await stores.store.load(fence.runId)).to.deep.include({
      context: CONTEXT,
      stopReason: 'SATURATION',
    });
  });
});
