import { expect } from 'chai';
import { judgeReport } from '../../src/offline-analyst/semantic/judge-report.js';
import { canonicalJson } from '../../src/shared/domain/guards/canonical-json.js';
import type { SemanticPayload } from '../../src/shared/domain/prompts/payloads.js';
import { openShop, type PlayedRun, type Shop } from './support/agent-loop.js';
import { DROPPED_INDEX, LOCKED_AT, MIGRATED_AT, shopLogs, WINDOW } from './support/shop-logs.js';

function verdictOn(payload: SemanticPayload | null): { verdict: string; reason: string } {
  const said = judgeReport([{ role: 'user', content: canonicalJson(payload) }]);
  return JSON.parse(said.content) as { verdict: string; reason: string };
}

function searched(run: PlayedRun, service: string): boolean {
  return run.calls.some((call) => call.tool === 'log_search' && call.arguments['service'] === service);
}

function asked(run: PlayedRun, part: string): boolean {
  return run.calls.some(
    (call) => call.tool === 'mysql_query' && String(call.arguments['sql']).includes(part),
  );
}

describe('the offline analyst follows what it reads', () => {
  let shop: Shop;
  let run: PlayedRun;
  before(async () => {
    shop = await openShop();
    run = await shop.play('Why is checkout slow?');
  });
  after(() => shop.close());

  it('goes from the named service to the one that its errors name, and to the tables that those name', () => {
    expect(searched(run, 'checkout'), 'checkout').to.equal(true);
    expect(searched(run, 'orders'), 'orders').to.equal(true);
    expect(asked(run, "TABLE_NAME = 'orders'"), 'indexes of orders').to.equal(true);
    expect(asked(run, '`schema_migrations`'), 'migrations').to.equal(true);
    expect(asked(run, '`slow_query_log`'), 'slow statements').to.equal(true);
    expect(asked(run, `INDEX_NAME = '${DROPPED_INDEX}'`), 'the dropped index').to.equal(true);
  });

  it('does not go where nothing leads', () => {
    expect(searched(run, 'gateway')).to.equal(false);
    expect(searched(run, 'payments')).to.equal(false);
  });

  it('keeps within the default budgets and repeats no call', () => {
    expect(run.rounds).to.be.within(3, 8);
    expect(run.calls.length).to.be.at.most(23);
    expect(new Set(run.calls.map((call) => canonicalJson([call.tool, call.arguments]))).size).to.equal(
      run.calls.length,
    );
  });

  it('names the change first, then what followed in order of time, and claims no proof', () => {
    const text = run.draft.conclusion?.text ?? '';
    expect(text).to.include(DROPPED_INDEX).and.to.include(MIGRATED_AT);
    expect(text).to.include('no answer from orders').and.to.include('transaction 7741');
    expect(text).to.include('do not prove');
    const times = [...text.matchAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g)].map(([time]) => Date.parse(time));
    expect(times).to.have.length.of.at.least(4);
    expect(times).to.deep.equal([...times].sort((a, b) => a - b));
    expect(text.indexOf(MIGRATED_AT)).to.be.lessThan(text.indexOf(LOCKED_AT));
  });

  it('does not take constant noise for news, however loud', () => {
    expect(run.draft.conclusion?.text).to.not.match(/coupon|webhook|signature/);
    expect(run.draft.analyses.map(({ text }) => text).join('\n')).to.include(
      'Background in checkout: "coupon cache missed',
    );
  });

  it('leaves out of the chain what began before the change', () => {
    const seen = run.calls.some((call) => canonicalJson(call.projection).includes('session store evicted'));
    expect(seen, 'it was read').to.equal(true);
    expect(run.draft.conclusion?.text).to.not.include('session store');
  });

  it('draws actions from the runbook that fits, each to be confirmed, and says that it is offline', () => {
    const actions = run.draft.action_plan.map(({ text }) => text);
    expect(actions).to.include('Create the index on orders again, online.');
    expect(actions).to.not.include('Add a relay.');
    expect(run.draft.action_plan.every((action) => action.requires_human_confirmation)).to.equal(true);
    expect(run.draft.limitations[0]).to.include('offline analyst');
  });

  it('is deterministic', async () => {
    const again = await shop.play('Why is checkout slow?');
    expect(canonicalJson(again.draft)).to.equal(canonicalJson(run.draft));
  });
});

describe('EG-1 EG-2 EG-7 SG-2 the offline analyst’s reports pass both guards', () => {
  let shop: Shop;
  before(async () => {
    shop = await openShop();
  });
  after(() => shop.close());

  const concluded = [
    'Why is checkout slow?',
    'What is wrong?',
    'What errors does orders log?',
    'What happened to orders since 10:15?',
    'How many lock wait timeouts did orders log?',
    'How many errors per service?',
    'How many orders are there by status?',
    'What is wrong with payments?',
  ];
  for (const query of concluded)
    it(query, async () => {
      const run = await shop.play(query);
      expect(run.draft.conclusion, 'conclusion').to.not.equal(null);
      expect(run.guard.ok ? [] : run.guard.violations).to.deep.equal([]);
      expect(verdictOn(run.semantic)).to.have.property('verdict', 'SUPPORTED');
    });

  it('a count is the one that the logs hold', async () => {
    const run = await shop.play('How many lock wait timeouts did orders log?');
    const counted = (shopLogs().get('orders.log') ?? '')
      .split('\n')
      .filter(
        (line) => line.includes('lock wait timeout') && line.includes(`"${WINDOW.from.slice(0, 14)}`),
      ).length;
    expect(counted).to.be.greaterThan(10);
    expect(run.draft.conclusion?.text).to.match(new RegExp(`\\b${counted} log entries\\b`));
  });

  it('what is as frequent as before is reported as that, with no cause', async () => {
    const { draft } = await shop.play('What is wrong with payments?');
    expect(draft.conclusion?.text)
      .to.include('webhook of acquirer west')
      .and.to.include('leaves the cause open');
    expect(draft.conclusion?.text).to.not.include(DROPPED_INDEX);
  });
});

describe('IV-5 RP-7 RP-8 when the evidence does not carry a conclusion', () => {
  let shop: Shop;
  before(async () => {
    shop = await openShop();
  });
  after(() => shop.close());

  it('a thing that no log and no table knows gets scoped negatives and no conclusion', async () => {
    const { draft, calls } = await shop.play('Why do push notifications arrive late in Osaka?');
    expect(draft.conclusion).to.equal(null);
    expect(draft.analyses).to.have.length.greaterThan(0);
    for (const analysis of draft.analyses) {
      expect(analysis.kind).to.equal('NEGATIVE_OBSERVATION');
      expect(analysis.text)
        .to.include(WINDOW.from)
        .and.to.include(WINDOW.to)
        .and.to.include('found no entry');
    }
    expect(draft.limitations.join(' ')).to.include('notifications');
    expect(draft.missing_context).to.deep.equal([]);
    const empty = calls.filter(({ projection }) => projection.evidence_status === 'NO_EVIDENCE');
    const ids = empty.map(({ projection }) => projection.tool_call_id);
    expect(ids).to.include.members(draft.analyses.flatMap(({ tool_call_ids }) => tool_call_ids));
  });

  it('a question that names nothing calls no tool and says what is missing', async () => {
    const { draft, calls } = await shop.play('And then?');
    expect(calls).to.deep.equal([]);
    expect(draft.conclusion).to.equal(null);
    expect(draft.analyses).to.deep.equal([]);
    expect(draft.missing_context.join(' ')).to.include('Which service');
  });

  it('a follow-up without a subject takes that of the question before', async () => {
    const conversation = [{ query: 'Why is checkout slow?', answer: 'A change.' }];
    const run = await shop.play('And then?', { conversation });
    expect(searched(run, 'checkout')).to.equal(true);
  });

  it('with no tool offered it neither calls nor concludes', async () => {
    const { draft, calls } = await shop.play('Why is checkout slow?', { tools: [] });
    expect(calls).to.deep.equal([]);
    expect(draft.conclusion).to.equal(null);
  });

  it('works from the logs alone when there is no database', async () => {
    const { draft, calls, semantic } = await shop.play('Why is checkout slow?', {
      tools: ['log_search'],
      material: { services: ['checkout', 'orders', 'payments', 'gateway'], databases: [] },
    });
    expect(calls.every(({ tool }) => tool === 'log_search')).to.equal(true);
    expect(draft.conclusion?.text).to.include('no answer from orders');
    expect(verdictOn(semantic)).to.have.property('verdict', 'SUPPORTED');
  });
});

describe('ID-2 tool call IDs of the offline analyst', () => {
  it('name round and place, so none comes twice in a Run', async () => {
    const shop = await openShop();
    try {
      const { calls } = await shop.play('Why is checkout slow?');
      const ids = calls.map(({ projection }) => projection.tool_call_id);
      expect(new Set(ids).size).to.equal(ids.length);
      expect(ids[0]).to.equal('call_r1_1');
      for (const id of ids) expect(id).to.match(/^call_r\d+_\d+$/);
    } finally {
      await shop.close();
    }
  });
});
