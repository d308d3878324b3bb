/** Ordered shutdown: every step has its turn, in order, and none can keep the process. */
import { expect } from 'chai';
import fc from 'fast-check';
import { shutDown, type ShutdownStep } from '../../src/shared/runtime/shutdown.js';
import { captureLog } from '../stores/support/captured-log.js';

describe('FL-5 ordered shutdown', () => {
  const order: string[] = [];
  beforeEach(() => {
    order.length = 0;
  });
  const step = (name: string, close: () => Promise<unknown> = () => Promise.resolve()): ShutdownStep => ({
    name,
    close: () => {
      order.push(name);
      return close();
    },
  });
  const never = (): Promise<never> => new Promise(() => undefined);

  it('FL-5 steps close one after the other, in the order given', async () => {
    const slow = step('slow', () =>
      new Promise<void>((resolve) => setTimeout(resolve, 20)).then(() => {
        order.push('slow is done');
      }),
    );
    expect(await shutDown([slow, step('next'), step('last')], 5000, captureLog().log)).to.deep.equal([]);
    expect(order).to.deep.equal(['slow', 'slow is done', 'next', 'last']);
  });

  it('FL-5 one that fails, at once or later, or hangs, keeps no later one from its turn, and is named', async () => {
    const captured = captureLog();
    const thrower: ShutdownStep = {
      name: 'throws',
      close: () => {
        order.push('throws');
        throw new Error('SECRET-WORDS');
      },
    };
    const failed = await shutDown(
      [
        step('rejects', () => Promise.reject(new Error('SECRET-WORDS'))),
        thrower,
        step('hangs', never),
        step('last'),
      ],
      200,
      captured.log,
    );
    expect(failed).to.deep.equal(['rejects', 'throws', 'hangs']);
    expect(order).to.deep.equal(['rejects', 'throws', 'hangs', 'last']);
    expect(captured.lines().map(({ step: name, outcome }) => [name, outcome])).to.deep.equal([
      ['rejects', 'failed'],
      ['throws', 'failed'],
      ['hangs', 'late'],
    ]);
    expect(captured.text()).not.to.include('SECRET-WORDS');
  });

  it('FL-5 all hang: every one has its turn and the whole ends', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    expect(
      await shutDown(
        names.map((name) => step(name, never)),
        100,
        captureLog().log,
      ),
    ).to.deep.equal(names);
    expect(order).to.deep.equal(names);
  });

  it('FL-5 what drains may take most of the total, whatever number of steps follows it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 12 }), async (later) => {
        const drains = step('drains', () => new Promise((resolve) => setTimeout(resolve, 100)));
        const rest = Array.from({ length: later }, (_, index) => step(`step ${index}`));
        expect(await shutDown([drains, ...rest], 2000, captureLog().log)).to.deep.equal([]);
      }),
      { numRuns: 6 },
    );
    const half = step('half', () => new Promise((resolve) => setTimeout(resolve, 600)));
    const eight = Array.from({ length: 7 }, (_, index) => step(`step ${index}`));
    expect(await shutDown([half, ...eight], 1200, captureLog().log)).to.deep.equal([]);
  });

  it('FL-5 nothing to close is closed at once', async () => {
    expect(await shutDown([], 100, captureLog().log)).to.deep.equal([]);
  });

  it('FL-5 a step that rejects after its time raises nothing', async () => {
    let reject: (error: Error) => void = () => undefined;
    const late = step('late', () => new Promise((_resolve, no) => (reject = no)));
    expect(await shutDown([late], 20, captureLog().log)).to.deep.equal(['late']);
    reject(new Error('too late'));
    await new Promise((resolve) => setImmediate(resolve));
  });
});
