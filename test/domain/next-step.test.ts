import { expect } from 'chai';
import fc from 'fast-check';
import {
  agentSpent,
  guardSpent,
  reserveFault,
  reservedTokens,
  type Budgets,
  type Usage,
} from '../../src/shared/domain/run/budgets.js';
import { nextStep, type RunState } from '../../src/shared/domain/run/next-step.js';
import { evidenceKey, findRepeat, roundsWithoutNews } from '../../src/shared/domain/run/saturation.js';
import { claimableFrom, FINAL_STATUS, TRANSITIONS } from '../../src/shared/domain/run/transitions.js';
import { LogSearchProjection } from '../../src/shared/domain/contracts/tools/log-search.js';
import { MysqlQueryProjection } from '../../src/shared/domain/contracts/tools/mysql-query.js';
import { RunStatus } from '../../src/shared/domain/contracts/run.js';
import { logProjection, sqlProjection } from './sample-records.js';

const BUDGETS: Budgets = {
  maxModelCalls: 16,
  maxToolCalls: 24,
  maxTokens: 600_000,
  maxEvidenceBytes: 262_144,
  timeoutMs: 300_000,
  semanticMaxInputBytes: 393_216,
};
const USAGE: Usage = { modelCalls: 1, toolCalls: 0, tokens: 0, evidenceBytes: 0, elapsedMs: 0 };
const STATE: RunState = {
  intent: 'DIAGNOSIS',
  rounds: [],
  openCalls: [],
  stopped: false,
  barrenRounds: 0,
  usage: USAGE,
};
const step = (change: Partial<RunState>): string => {
  const next = nextStep({ ...STATE, ...change }, BUDGETS, 2);
  return next.kind === 'stop' ? `stop ${next.reason} ${next.budget ?? ''}`.trim() : next.kind;
};

describe('BU-1 budgets', () => {
  it('leave the guards three model calls and the tokens of the largest semantic input', () => {
    expect(reservedTokens(BUDGETS)).to.equal(98_304);
    expect(agentSpent(BUDGETS, { ...USAGE, modelCalls: 12 })).to.equal(null);
    expect(agentSpent(BUDGETS, { ...USAGE, modelCalls: 13 })).to.equal('MODEL_CALLS');
    expect(agentSpent(BUDGETS, { ...USAGE, tokens: 600_000 - 98_304 })).to.equal('TOKENS');
    expect(guardSpent(BUDGETS, { ...USAGE, modelCalls: 15, tokens: 500_000 }, 393_216)).to.equal(null);
    expect(guardSpent(BUDGETS, { ...USAGE, modelCalls: 16 }, 1)).to.equal('MODEL_CALLS');
    expect(guardSpent(BUDGETS, { ...USAGE, tokens: 599_999 }, 8)).to.equal('TOKENS');
  });
  for (const [field, budget, value] of [
    ['toolCalls', 'TOOL_CALLS', 24],
    ['evidenceBytes', 'EVIDENCE_BYTES', 262_144],
    ['elapsedMs', 'TIME', 300_000],
  ] as const)
    it(`${budget} ends the agent at its limit`, () => {
      expect(agentSpent(BUDGETS, { ...USAGE, [field]: value - 1 })).to.equal(null);
      expect(agentSpent(BUDGETS, { ...USAGE, [field]: value })).to.equal(budget);
    });
  it('a total below the reserve is refused, with both variables named', () => {
    expect(reserveFault(BUDGETS)).to.equal(null);
    expect(reserveFault({ ...BUDGETS, maxModelCalls: 3 })).to.include('RUN_MAX_MODEL_CALLS');
    expect(reserveFault({ ...BUDGETS, maxTokens: 98_304 }))
      .to.include('RUN_MAX_TOKENS')
      .and.include('SEMANTIC_MAX_INPUT_BYTES');
  });
});

describe('RP-8 the next step', () => {
  it('waits for open calls before all else', () =>
    expect(step({ openCalls: [2], stopped: true, intent: null })).to.equal('await_tools'));
  it('routes first', () => expect(step({ intent: null })).to.equal('route'));
  it('works in rounds while they bring tool calls', () => {
    expect(step({})).to.equal('model_round');
    expect(step({ rounds: ['TOOL_CALLS'] })).to.equal('model_round');
  });
  it('KQ-1 asks the knowledge agent for a knowledge query', () => {
    expect(nextStep({ ...STATE, intent: 'KNOWLEDGE_QUERY' }, BUDGETS, 2)).to.deep.equal({
      kind: 'model_round',
      round: 1,
      agent: 'KNOWLEDGE_QUERY',
    });
  });
  for (const last of ['DRAFT', 'INVALID_DRAFT', 'FAILED'] as const)
    it(`hands over after ${last}`, () => expect(step({ rounds: ['TOOL_CALLS', last] })).to.equal('review'));
  it('RP-2a needs no model for what is out of scope', () =>
    expect(step({ intent: 'OUT_OF_SCOPE' })).to.equal('review'));
  it('a spent budget is a controlled stop', () =>
    expect(step({ rounds: ['TOOL_CALLS'], usage: { ...USAGE, toolCalls: 24 } })).to.equal(
      'stop BUDGET TOOL_CALLS',
    ));
  it('saturation is one', () => {
    expect(step({ rounds: ['TOOL_CALLS'], barrenRounds: 1 })).to.equal('model_round');
    expect(step({ rounds: ['TOOL_CALLS', 'TOOL_CALLS'], barrenRounds: 2 })).to.equal('stop SATURATION');
  });
  it('a recorded stop stands', () => expect(step({ stopped: true })).to.equal('review'));
});

describe('BU-1 saturation', () => {
  it('counts rounds in a row, up to the last, without new evidence', () => {
    expect(roundsWithoutNews([])).to.equal(0);
    expect(roundsWithoutNews([['a'], ['b']])).to.equal(0);
    expect(roundsWithoutNews([['a'], ['a'], []])).to.equal(2);
    expect(roundsWithoutNews([[], ['a'], ['a', 'b']])).to.equal(0);
  });
  it('never exceeds the number of rounds, and any new key resets it', () => {
    const rounds = fc.array(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }), { maxLength: 6 });
    fc.assert(
      fc.property(rounds, (list) => {
        expect(roundsWithoutNews(list)).to.be.within(0, list.length);
        expect(roundsWithoutNews([...list, ['new']])).to.equal(0);
        expect(roundsWithoutNews([...list, []])).to.equal(roundsWithoutNews(list) + 1);
      }),
    );
  });
  it('evidence is the same whatever call and moment brought it, and differs by content or scope', () => {
    const log = (id: string, change = {}) =>
      evidenceKey(LogSearchProjection.parse(logProjection(id, change)));
    const sql = (id: string, change = {}) =>
      evidenceKey(MysqlQueryProjection.parse(sqlProjection(id, change)));
    expect(log('a')).to.equal(log('b'));
    expect(log('a')).not.to.equal(log('a', { matched: 38 }));
    expect(sql('a')).to.equal(sql('b', { executed_at: '2026-11-30T12:00:00.000Z' }));
    expect(sql('a')).not.to.equal(sql('a', { rows: [['1', '2']] }));
  });
  it('an identical call repeats the one that is READY; a failed one may be tried again', () => {
    const past = [
      { call: 1, tool: 'log_search', arguments: '{}', status: 'ERROR', repeatsCall: null },
      { call: 2, tool: 'log_search', arguments: '{}', status: 'READY', repeatsCall: null },
      { call: 3, tool: 'log_search', arguments: '{}', status: 'READY', repeatsCall: 2 },
    ];
    expect(findRepeat({ tool: 'log_search', arguments: '{}' }, past)?.call).to.equal(2);
    expect(findRepeat({ tool: 'rag_lookup', arguments: '{}' }, past)).to.equal(null);
    expect(findRepeat({ tool: 'log_search', arguments: '{}' }, past.slice(0, 1))).to.equal(null);
  });
});

describe('CA-2 the life of a Run', () => {
  it('every status but the ends can be cancelled, and an end is an end', () => {
    const ends = new Set<string>(Object.values(FINAL_STATUS));
    for (const status of RunStatus.options)
      expect(TRANSITIONS[status].includes('CANCELLED'), status).to.equal(!ends.has(status));
    for (const end of ends) expect(TRANSITIONS[RunStatus.parse(end)]).to.deep.equal([]);
  });
  it('a Run under review is not diagnosed any more', () => {
    expect(claimableFrom('RUNNING')).to.deep.equal(['QUEUED', 'RUNNING']);
    expect(claimableFrom('REVIEWING')).to.deep.equal(['QUEUED', 'RUNNING', 'REVIEWING']);
  });
});
