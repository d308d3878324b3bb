import { expect } from 'chai';
import { getEventListeners } from 'node:events';
import { CallClock, type CallTimes, type StopReason } from '../../src/shared/adapters/openai/call-clock.js';
import { AMPLE_MS, never } from './model-case.js';

const times = (change: Partial<CallTimes> = {}): CallTimes => ({
  totalMs: AMPLE_MS,
  idleMs: AMPLE_MS,
  ...change,
});

/** The reason, once there is one. */
async function stopped(clock: CallClock): Promise<StopReason | null> {
  await clock.guard(new Promise(() => undefined));
  clock.dispose();
  return clock.reason();
}

describe('BU-1 the clock of a model call', () => {
  it('stops at the total time, and at once when there is none', async () => {
    expect(await stopped(new CallClock(never(), times({ totalMs: 20 })))).to.equal('timeout');
    const none = new CallClock(never(), times({ totalMs: 0 }));
    expect(none.reason()).to.equal('timeout');
    expect(none.signal.aborted).to.equal(true);
    none.dispose();
  });

  it('counts idle time from the first chunk on alone', async () => {
    const silent = new CallClock(never(), times({ totalMs: 100, idleMs: 10 }));
    silent.bytes();
    expect(await stopped(silent)).to.equal('timeout');
    const begun = new CallClock(never(), times({ idleMs: 10 }));
    begun.chunk();
    begun.bytes();
    expect(await stopped(begun)).to.equal('idle');
  });

  it('waits only for the end of the stream once the answer is whole', async () => {
    for (const mark of ['whole', 'done'] as const) {
      const clock = new CallClock(never(), times());
      clock.chunk();
      clock[mark]();
      clock.bytes();
      expect(await stopped(clock), mark).to.equal('settled');
    }
  });

  it('CA-1 keeps its first reason, but a cancellation overrules', () => {
    const caller = new AbortController();
    const clock = new CallClock(caller.signal, times());
    clock.abort('settled');
    clock.abort('timeout');
    expect(clock.reason()).to.equal('settled');
    caller.abort();
    expect(clock.reason()).to.equal('cancelled');
    clock.abort('timeout');
    expect(clock.reason()).to.equal('cancelled');
    clock.dispose();
  });

  it('gives what the work came to, and does not wait for work that goes on', async () => {
    const clock = new CallClock(never(), times());
    expect(await clock.guard(Promise.resolve(7))).to.equal(7);
    expect(await clock.guard(Promise.reject(new Error('broken'))).catch(String)).to.equal('Error: broken');
    clock.abort('cancelled');
    expect(await clock.guard(new Promise(() => undefined))).to.equal(null);
    clock.dispose();
  });

  it('CA-1 begins cancelled on a signal that was aborted before, and leaves no listener', () => {
    const clock = new CallClock(AbortSignal.abort(), times());
    expect(clock.reason()).to.equal('cancelled');
    clock.dispose();
    const { signal } = new AbortController();
    const other = new CallClock(signal, times());
    expect(getEventListeners(signal, 'abort')).to.have.length(1);
    other.dispose();
    expect(getEventListeners(signal, 'abort')).to.have.length(0);
  });
});
