/** Seed 003 through the front door: each scenario as a Run of the real fleet, with a strict scripted model. */
import { expect } from 'chai';
import type { RunView } from '../../src/shared/domain/contracts/run.js';
import { diagnose, readRun, type SseFrame } from '../support/api-client.js';
import { json, raw, startTestFleet, text, type TestFleet } from '../support/fleet.js';
import { until } from '../support/until.js';
import {
  draft,
  firstRound,
  noConclusion,
  routed,
  supported,
  unsupported,
  WINDOW,
  writeLogs,
} from './incident.js';

describe('a Run through the fleet', function () {
  this.timeout(60_000);
  let fleet: TestFleet;
  before(async () => {
    fleet = await startTestFleet({ env: { LOG_DIR: await writeLogs() } });
  });
  after(() => fleet.stop());
  afterEach(() => {
    fleet.model.assertConsumed();
  });

  const run = async (): Promise<{ run: RunView; frames: SseFrame[] }> =>
    diagnose(fleet.baseUrl, 'Why is checkout slow?', { window: WINDOW });
  const reviews = (frames: SseFrame[]): string[] =>
    frames
      .filter(({ event }) => event === 'review')
      .map(({ data }) => `${String(data['stage'])} ${String(data['outcome'])}`);
  const requests = (stage: string) => fleet.model.requests.filter((request) => request.stage === stage);

  it('RP-1 EG-3 supported: the verified Draft is published unchanged, with its evidence', async () => {
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', firstRound(), json(draft()));
    fleet.model.next('semantic', supported());
    const { run: view, frames } = await run();
    expect([view.status, view.releaseOutcome]).to.deep.equal(['COMPLETED', 'SUCCESS']);
    expect(view.report?.conclusion).to.deep.equal(draft().conclusion);
    expect(view.report?.analyses[0]?.evidence.map(({ excerpt }) => excerpt)[0]).to.equal(
      '{"matched":7,"truncated":false}',
    );
    expect(view.report?.analyses[0]?.evidence).to.have.length(8);
    expect(view.coverage.map(({ state }) => state)).to.deep.equal(['found', 'checked_empty']);
    expect(frames.map(({ id }) => id)).to.deep.equal(frames.map((_, index) => index + 1));
    expect(frames[0]?.event).to.equal('metadata');
    expect(frames.at(-1)?.event).to.equal('done');
    expect(reviews(frames)).to.deep.equal(['evidence passed', 'semantic passed']);
  });

  it('RP-5 SG-5 unsupported: one attempt, sources from the snapshot, nothing of the Draft or the reason', async () => {
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', firstRound(), json(draft()));
    fleet.model.next('semantic', unsupported());
    const { run: view, frames } = await run();
    expect(view.fallback?.type).to.equal('SEMANTIC_UNSUPPORTED');
    expect(view.fallback?.verified_sources.map(({ source }) => source)).to.include('checkout.log');
    expect(JSON.stringify([view, frames])).not.to.match(/DRAFT-WORDS|SECRET-REASON/);
  });

  it('SG-4 a technical failure, then a verdict: two attempts with the same bytes, the second decides', async () => {
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', firstRound(), json(draft()));
    fleet.model.next('semantic', text('SUPPORTED'), supported());
    const { run: view } = await run();
    expect(view.releaseOutcome).to.equal('SUCCESS');
    const [first, second] = requests('semantic');
    expect(first?.body).to.equal(second?.body);
    expect([first?.attempt, second?.attempt]).to.deep.equal([1, 2]);
  });

  it('SG-4 review unavailable after two technical failures: no Draft, no internal reason', async () => {
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', firstRound(), json(draft()));
    fleet.model.next('semantic', text(supported.name, { finishReason: 'length' }), raw(500, '{}'));
    const { run: view, frames } = await run();
    expect(view.fallback?.type).to.equal('SEMANTIC_UNAVAILABLE');
    expect(reviews(frames)).to.deep.equal(['evidence passed', 'semantic unavailable']);
    expect(JSON.stringify([view, frames])).not.to.match(
      /DRAFT-WORDS|SECRET-REASON|FINISH_REASON|TRANSPORT|finish_reason/,
    );
  });

  it('SG-2 a verdict said twice, or inside prose, supports nothing', async () => {
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', firstRound(), json(draft()));
    fleet.model.next(
      'semantic',
      text('{"verdict":"UNSUPPORTED","reason":"x","verdict":"SUPPORTED"}'),
      text('It is {"verdict":"SUPPORTED","reason":"x"}'),
    );
    expect((await run()).run.fallback?.type).to.equal('SEMANTIC_UNAVAILABLE');
  });

  it('ER-1 ER-3 a repair of references passes on to SemanticGuard, without tools and without the agent', async () => {
    const broken = draft();
    broken.analyses[0]!.tool_call_ids = ['ghost'];
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', firstRound(), json(broken));
    fleet.model.next('repair', json(draft()));
    fleet.model.next('semantic', supported());
    const { run: view, frames } = await run();
    expect(view.releaseOutcome).to.equal('SUCCESS');
    expect(reviews(frames)).to.deep.equal([
      'evidence rejected',
      'repair passed',
      'evidence passed',
      'semantic passed',
    ]);
    expect(JSON.parse(requests('repair')[0]?.body ?? '{}')).not.to.have.property('tools');
  });

  it('ER-2 a repair that changes a word is refused: empty sources, no SemanticGuard', async () => {
    const broken = draft();
    broken.analyses[0]!.tool_call_ids = ['ghost'];
    const mended = draft({ limitations: ['Logs alone were read!'] });
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', firstRound(), json(broken));
    fleet.model.next('repair', json(mended));
    const { run: view, frames } = await run();
    expect(view.fallback).to.deep.include({
      type: 'EVIDENCE_VALIDATION_FAILED',
      verified_sources: [],
      observed_facts: [],
    });
    expect(reviews(frames)).to.deep.equal(['evidence rejected', 'repair rejected', 'semantic skipped']);
  });

  it('ER-3 a repaired Draft that fails again is not repaired again', async () => {
    const broken = draft();
    broken.analyses[0]!.tool_call_ids = ['ghost'];
    const still = draft();
    still.analyses[0]!.tool_call_ids = ['empty'];
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', firstRound(), json(broken));
    fleet.model.next('repair', json(still));
    const { run: view } = await run();
    expect(view.fallback).to.deep.include({ type: 'EVIDENCE_VALIDATION_FAILED', verified_sources: [] });
  });

  it('EG-4 RP-4 RP-8 no conclusion: no repair, no review, only completed checks are told', async () => {
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', firstRound(), json(noConclusion()));
    const { run: view } = await run();
    expect(view.fallback?.type).to.equal('INSUFFICIENT_EVIDENCE');
    expect(view.fallback?.observed_facts).to.have.length(2);
    expect(view.fallback?.observed_facts[0]).to.match(/7 matching entries$/);
    expect(JSON.stringify(view.fallback)).not.to.match(/deadlock|timeout|Seven/);
  });

  it('EG-5 no conclusion with a fabricated reference: nothing of it is published', async () => {
    const made = noConclusion();
    made.analyses = [
      { analysis_id: 'A1', kind: 'NEGATIVE_OBSERVATION', text: 'INVENTED', tool_call_ids: ['ghost'] },
    ];
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', firstRound(), json(made));
    const { run: view, frames } = await run();
    expect(view.fallback?.type).to.equal('INSUFFICIENT_EVIDENCE');
    expect(reviews(frames)).to.deep.equal(['evidence rejected', 'semantic skipped']);
    expect(JSON.stringify(view)).not.to.match(/INVENTED|ghost/);
  });

  it('RP-7 no call and missing context', async () => {
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next(
      'diagnosis',
      json(noConclusion({ analyses: [], missing_context: ['Which\u0000 service?', ' '] })),
    );
    const { run: view } = await run();
    expect(view.fallback).to.deep.include({
      type: 'MISSING_REQUIRED_CONTEXT',
      missing_context: ['Which service?'],
    });
  });

  it('RP-9 an invalid Draft: the progress alone is told', async () => {
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', firstRound(), text(`Sure! ${JSON.stringify(draft())}`));
    const { run: view } = await run();
    expect(view.fallback?.type).to.equal('INSUFFICIENT_EVIDENCE');
    expect(view.fallback?.observed_facts).to.have.length(2);
    expect(JSON.stringify(view)).not.to.include('DRAFT-WORDS');
  });

  it('RP-9 a truncated Draft is invalid too, and so is one with a foreign key', async () => {
    fleet.model.next('router', routed('DIAGNOSIS'), routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', text(JSON.stringify(draft()), { finishReason: 'length' }));
    expect((await run()).run.fallback?.type).to.equal('INSUFFICIENT_EVIDENCE');
    fleet.model.next('diagnosis', json({ ...draft(), confidence: 1 }));
    expect((await run()).run.fallback?.type).to.equal('INSUFFICIENT_EVIDENCE');
  });

  it('RP-2a out of scope: its own text, no further model call', async () => {
    fleet.model.next('router', routed('OUT_OF_SCOPE'));
    expect((await run()).run.fallback?.type).to.equal('OUT_OF_SCOPE');
  });

  it('RT-2 two unreadable Router answers: the strictest path, and the Run goes on', async () => {
    fleet.model.next('router', text('DIAGNOSIS'), raw(503, ''));
    fleet.model.next('diagnosis', json(noConclusion({ analyses: [] })));
    expect((await run()).run.intent).to.equal('DIAGNOSIS');
  });

  it('RT-1 RT-2 a model that answers 401, twice 500, or HTML: FAILED without progress', async () => {
    fleet.model.next('router', raw(401, '{"error":{"message":"bad key-for-tests"}}'));
    fleet.model.next('diagnosis', raw(401, '{}'));
    const denied = (await run()).run;
    expect([denied.status, denied.error?.code]).to.deep.equal(['FAILED', 'MODEL_UNAVAILABLE']);
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', raw(500, '<html>'), raw(200, '<html>', { 'content-type': 'text/html' }));
    const broken = (await run()).run;
    expect([broken.status, broken.error?.code]).to.deep.equal(['FAILED', 'MODEL_UNAVAILABLE']);
    expect(fleet.output()).not.to.include('key-for-tests');
  });

  it('BU-1 a model that fails after verified progress: INSUFFICIENT_EVIDENCE', async () => {
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', firstRound(), raw(404, '{}'));
    const { run: view } = await run();
    expect(view.fallback?.type).to.equal('INSUFFICIENT_EVIDENCE');
    expect(view.fallback?.observed_facts).to.have.length(2);
  });

  /** The state that a guard leaves which dies between its last step and the end of the Run. */
  const reopen = async (runId: string): Promise<void> => {
    await fleet.database.query(
      "UPDATE diagnosis_run SET release_outcome = NULL, status = 'REVIEWING', frame_count = NULL WHERE run_id = ?",
      [runId],
    );
    await until(
      'the Run to end again',
      async () => (await readRun(fleet.baseUrl, runId)).releaseOutcome !== null,
      20_000,
    );
  };

  it('ER-1 ER-3 a repair that was refused stays refused when another guard takes the Run over', async () => {
    const broken = draft();
    broken.analyses[0]!.tool_call_ids = ['ghost'];
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', firstRound(), json(broken));
    fleet.model.next('repair', text(JSON.stringify(draft()), { finishReason: 'length' }));
    const { run: view } = await run();
    expect(view.fallback?.type).to.equal('EVIDENCE_VALIDATION_FAILED');
    await reopen(view.runId);
    expect((await readRun(fleet.baseUrl, view.runId)).fallback?.type).to.equal('EVIDENCE_VALIDATION_FAILED');
  });

  it('SG-4 a verdict that was given is read again, not asked for again', async () => {
    fleet.model.next('router', routed('DIAGNOSIS'));
    fleet.model.next('diagnosis', firstRound(), json(draft()));
    fleet.model.next('semantic', unsupported());
    const { run: view } = await run();
    await reopen(view.runId);
    expect((await readRun(fleet.baseUrl, view.runId)).fallback?.type).to.equal('SEMANTIC_UNSUPPORTED');
  });
});
