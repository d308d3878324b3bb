import { Writable } from 'node:stream';
import { expect } from 'chai';
import { readFrame, type RunFrame } from '../../src/cli/client/run-frame.js';
import { liveProgress } from '../../src/cli/render/live-progress.js';
import { palette } from '../../src/cli/render/palette.js';
import { progressLine } from '../../src/cli/render/progress-line.js';
import { WINDOW } from './sample-runs.js';

function frame(event: string, data: object, seq = 1): RunFrame {
  const read = readFrame({ event, data: JSON.stringify({ runId: 'run-x', seq, at: WINDOW.from, ...data }) });
  if (read === null) throw new Error(`${event} is not known`);
  return read;
}

describe('FL-4 frames as lines of progress', () => {
  const tool = { call: 2, tool: 'log_search', evidenceStatus: null, scope: {}, durationMs: null };
  const cases: [string, object, string | null][] = [
    ['metadata', { sessionId: 's' }, null],
    ['status', { status: 'QUEUED', queuePosition: 3 }, 'now queued, 3 before it'],
    ['status', { status: 'QUEUED' }, 'now queued'],
    ['status', { status: 'RUNNING' }, 'now reading the question'],
    ['status', { status: 'RUNNING', intent: 'DIAGNOSIS' }, 'done understood as DIAGNOSIS'],
    ['status', { status: 'REVIEWING' }, 'now the guards review the draft'],
    ['status', { status: 'COMPLETED' }, null],
    [
      'step',
      {
        round: 1,
        toolCalls: [
          { call: 1, tool: 'rag_lookup' },
          { call: 2, tool: 'unknown' },
        ],
      },
      'done round 1: rag_lookup, unknown',
    ],
    ['step', { round: 3, toolCalls: [] }, 'now round 3: draft written'],
    ['tool', { ...tool, status: 'PROJECTING' }, 'passing call 2 log_search'],
    [
      'tool',
      {
        ...tool,
        status: 'READY',
        evidenceStatus: 'EVIDENCE_FOUND',
        scope: { window: WINDOW, service: 'orders', level: 'WARN' },
        matched: 408,
        durationMs: 31,
      },
      'done call 2 log_search · orders · WARN and above · 2026-03-04 05:00:00–06:00:00Z → 408 found (31 ms)',
    ],
    [
      'tool',
      { ...tool, status: 'READY', evidenceStatus: 'NO_EVIDENCE', durationMs: 4 },
      'done call 2 log_search → nothing found (4 ms)',
    ],
    ['tool', { ...tool, status: 'ERROR', evidenceStatus: 'ERROR' }, 'failed call 2 log_search → failed'],
    ['review', { stage: 'evidence', outcome: 'passed' }, 'done EvidenceGuard: passed'],
    ['review', { stage: 'semantic', outcome: 'unavailable' }, 'failed SemanticGuard: unavailable'],
    ['report', { releaseOutcome: 'FALLBACK' }, 'done released: FALLBACK'],
    ['error', { code: 'STATE_LOST', message: 'm' }, 'failed failed: STATE_LOST'],
    ['gap', { from: 2, to: 9 }, 'now steps 2 to 9 are no longer kept'],
    ['done', { status: 'COMPLETED', releaseOutcome: 'SUCCESS' }, null],
  ];
  for (const [event, data, expected] of cases) {
    it(`${event} ${JSON.stringify(data).slice(0, 60)}`, () => {
      const line = progressLine(frame(event, data));
      expect(line === null ? null : `${line.state} ${line.text}`).to.equal(expected);
    });
  }

  it('refuses data that breaks the contract, and passes over events of a newer server', () => {
    expect(() => frame('review', { stage: 'evidence', outcome: 'passed', reason: 'leak' })).to.throw();
    expect(readFrame({ event: 'weather', data: '{}' })).to.equal(null);
    expect(readFrame({ event: 'constructor', data: '{}' })).to.equal(null);
  });
});

class Sink extends Writable {
  text = '';
  constructor(readonly isTTY: boolean) {
    super();
  }
  /** What a terminal's stream has besides. */
  cursorTo(): boolean {
    return true;
  }
  moveCursor(): boolean {
    return true;
  }
  clearLine(): boolean {
    return true;
  }
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

describe('FL-4 live progress', () => {
  const view = { width: 60, palette: palette(false) };

  it('writes plain lines where there is no terminal', () => {
    const sink = new Sink(false);
    const progress = liveProgress(sink, view);
    progress.show({ state: 'done', text: 'round 1: log_search' });
    progress.show({ state: 'passing', text: 'call 1 log_search' });
    progress.show({ state: 'failed', text: 'call 1 failed' });
    progress.end();
    expect(sink.text).to.equal('  - round 1: log_search\n  ! call 1 failed\n');
  });

  it('keeps finished steps on a terminal and gives the cursor back', () => {
    const sink = new Sink(true);
    const progress = liveProgress(sink, view);
    progress.show({ state: 'now', text: 'queued' });
    progress.show({ state: 'done', text: `round 1: ${'x'.repeat(100)}` });
    progress.end();
    progress.end();
    expect(sink.text).to.contain(`round 1: ${'x'.repeat(47)}…`);
    expect(process.listenerCount('SIGINT')).to.equal(0);
    const hidden = sink.text.lastIndexOf('[?25l');
    expect(sink.text.lastIndexOf('[?25h')).to.be.at.least(hidden);
  });
});
