import { expect } from 'chai';
import fc from 'fast-check';
import {
  agentAttemptsLeft,
  agentSpent,
  guardSpent,
  RESERVED_MODEL_CALLS,
  reservedTokens,
  reserveFault,
  type Budgets,
  type Usage,
} from '../../src/shared/domain/run/budgets.js';

const budgets: fc.Arbitrary<Budgets> = fc.record({
  maxModelCalls: fc.integer({ min: 1, max: 12 }),
  maxToolCalls: fc.integer({ min: 1, max: 12 }),
  maxTokens: fc.integer({ min: 1, max: 10_000 }),
  maxEvidenceBytes: fc.integer({ min: 1, max: 10_000 }),
  timeoutMs: fc.integer({ min: 1000, max: 10_000 }),
  semanticMaxInputBytes: fc.integer({ min: 1024, max: 20_000 }),
});
/** Budgets and a usage of them that reaches up to each limit, so that both answers are common. */
const spending: fc.Arbitrary<[Budgets, Usage]> = budgets.chain((limits) =>
  fc.tuple(
    fc.constant(limits),
    fc.record({
      modelCalls: fc.nat({ max: limits.maxModelCalls }),
      toolCalls: fc.nat({ max: limits.maxToolCalls }),
      tokens: fc.nat({ max: limits.maxTokens }),
      evidenceBytes: fc.nat({ max: limits.maxEvidenceBytes }),
      elapsedMs: fc.nat({ max: limits.timeoutMs }),
    }),
  ),
);

describe('BU-1 the guards’ reserve', () => {
  it('whenever the agent may go on, a semantic review at its largest can still be paid', () => {
    let going = 0;
    fc.assert(
      fc.property(spending, ([limits, spent]) => {
        if (agentSpent(limits, spent) !== null) return;
        going += 1;
        expect(guardSpent(limits, spent, limits.semanticMaxInputBytes)).to.equal(null);
        expect(agentAttemptsLeft(limits, spent)).to.be.greaterThan(0);
      }),
      { numRuns: 1000 },
    );
    expect(going).to.be.greaterThan(0);
  });
  it('all the attempts that the agent has left leave the guards their calls', () => {
    fc.assert(
      fc.property(spending, ([limits, spent]) => {
        const left = agentAttemptsLeft(limits, spent);
        expect(left).to.be.at.least(0);
        if (left > 0) expect(limits.maxModelCalls - spent.modelCalls - left).to.equal(RESERVED_MODEL_CALLS);
      }),
    );
  });
  it('totals without a fault let the agent begin; totals with one do not', () => {
    const fresh: Usage = { modelCalls: 0, toolCalls: 0, tokens: 0, evidenceBytes: 0, elapsedMs: 0 };
    fc.assert(
      fc.property(budgets, (limits) => {
        expect(agentSpent(limits, fresh) === null).to.equal(reserveFault(limits) === null);
      }),
    );
  });
  it('a round that could not be paid for the evidence alone is not begun', () => {
    const limits: Budgets = {
      maxModelCalls: 16,
      maxToolCalls: 24,
      maxTokens: 10_000,
      maxEvidenceBytes: 100_000,
      timeoutMs: 1000,
      semanticMaxInputBytes: 4000,
    };
    const spent: Usage = { modelCalls: 1, toolCalls: 1, tokens: 5000, evidenceBytes: 0, elapsedMs: 0 };
    expect(reservedTokens(limits)).to.equal(1000);
    expect(agentSpent(limits, { ...spent, evidenceBytes: 15_996 })).to.equal(null);
    expect(agentSpent(limits, { ...spent, evidenceBytes: 16_000 })).to.equal('TOKENS');
  });
});
