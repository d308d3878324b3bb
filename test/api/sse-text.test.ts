/** The pure half of the event streams: text, cursors, rebuilt frames. */
import { expect } from 'chai';
import fc from 'fast-check';
import { createParser } from 'eventsource-parser';
import { readCursor } from '../../src/api/sse/cursor.js';
import { frameText, HEARTBEAT_TEXT, retryText } from '../../src/api/sse/frame-text.js';
import { framesBetween, lastFrameCount, lastFrames } from '../../src/api/sse/rebuilt-frames.js';
import { preferredWait } from '../../src/api/http/prefer.js';
import { isSameOrigin, readCredentials } from '../../src/api/http/credentials.js';
import {
  EVENT_DATA,
  FrameHead,
  type EventName,
  type Frame,
} from '../../src/shared/domain/contracts/events.js';
import type { RunView } from '../../src/shared/domain/contracts/run.js';

const NAMES = Object.keys(EVENT_DATA) as EventName[];

const anyFrame: fc.Arbitrary<Frame> = fc
  .record({
    seq: fc.integer({ min: 1, max: 1_000_000 }),
    event: fc.constantFrom(...NAMES),
    value: fc.jsonValue(),
    pretty: fc.boolean(),
    text: fc.string({ unit: 'binary' }),
  })
  .map(({ seq, event, value, pretty, text }) => ({
    seq,
    event,
    data: JSON.stringify({ value, text }, null, pretty ? 2 : undefined),
  }));

describe('FL-4 SSE frames as text', () => {
  it('any frames, heartbeats between them, cut into any chunks, come back whole and in order', () => {
    fc.assert(
      fc.property(
        fc.array(anyFrame, { maxLength: 8 }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        (frames, sizes) => {
          const text = frames.map((frame) => frameText(frame) + HEARTBEAT_TEXT).join('');
          const read: { id: string | undefined; event: string | undefined; data: unknown }[] = [];
          const parser = createParser({
            onEvent: ({ id, event, data }) => read.push({ id, event, data: JSON.parse(data) }),
          });
          for (let at = 0, turn = 0; at < text.length; turn += 1) {
            const size = sizes[turn % sizes.length]!;
            parser.feed(text.slice(at, at + size));
            at += size;
          }
          expect(read).to.deep.equal(
            frames.map(({ seq, event, data }) => ({
              id: String(seq),
              event,
              data: JSON.parse(data) as unknown,
            })),
          );
        },
      ),
    );
  });

  it('each frame is three lines and a blank one, whatever its data holds', () => {
    fc.assert(
      fc.property(anyFrame, (frame) => {
        expect(frameText(frame)).to.match(/^id: \d+\nevent: [a-z]+\ndata: [^\r\n]*\n\n$/);
      }),
    );
    expect(retryText(2000)).to.equal('retry: 2000\n\n');
  });
});

describe('FL-4 cursors', () => {
  it('Last-Event-ID wins over ?after=, and resumes', () => {
    expect(readCursor('7', '3')).to.deep.equal({ after: 7, resumed: true });
    expect(readCursor('', '3')).to.deep.equal({ after: 3, resumed: false });
    expect(readCursor('', undefined)).to.deep.equal({ after: 0, resumed: false });
  });

  for (const text of ['x', '-1', '1.5', '1e3', ' 1', '9999999999999999', '0x1'])
    it(`${text} is malformed`, () => {
      expect(() => readCursor(text, undefined))
        .to.throw()
        .with.property('code', 'INVALID_REQUEST');
      expect(() => readCursor('', text))
        .to.throw()
        .with.property('code', 'INVALID_REQUEST');
    });
});

const run: RunView = {
  runId: 'run-1',
  sessionId: 'ses-1',
  intent: 'DIAGNOSIS',
  status: 'COMPLETED',
  releaseOutcome: 'FALLBACK',
  query: 'q',
  window: { from: '2026-01-01T00:00:00.000Z', to: '2026-01-01T01:00:00.000Z' },
  createdAt: '2026-01-01T01:00:00.000Z',
  startedAt: null,
  finishedAt: '2026-01-01T01:05:00.000Z',
  cancelRequestedAt: null,
  models: [],
  coverage: [],
  fallback: {
    type: 'INSUFFICIENT_EVIDENCE',
    message: 'm',
    verified_sources: [],
    observed_facts: [],
    missing_context: [],
  },
};
const ENDINGS: readonly RunView[] = [
  run,
  { ...run, status: 'FAILED', releaseOutcome: 'FAILED', error: { code: 'INTERNAL', message: 'm' } },
  { ...run, status: 'CANCELLED', releaseOutcome: 'CANCELLED' },
];

describe('FL-4 frames rebuilt from the row', () => {
  it('from any cursor to N: no number twice, none missing but those that a gap names, done at N', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ENDINGS),
        fc.integer({ min: 3, max: 40 }),
        fc.nat(),
        (view, count, seed) => {
          const last = seed % count;
          const sent: Frame[] = [];
          let at = last;
          for (const frame of lastFrames(view, count)) {
            if (frame.seq <= at) continue;
            sent.push(...framesBetween(view, at, frame.seq, view.createdAt), frame);
            at = frame.seq;
          }
          let next = last + 1;
          for (const { seq, event, data } of sent) {
            expect(seq).to.equal(next);
            const { runId: _r, seq: _s, at: _a, ...rest } = JSON.parse(data) as Record<string, unknown>;
            FrameHead.parse(JSON.parse(data));
            const parsed = EVENT_DATA[event].parse(rest);
            next = 'to' in parsed ? parsed.to + 1 : seq + 1;
          }
          expect(next).to.equal(count + 1);
          expect(sent.at(-1)?.event).to.equal('done');
          if (last === 0) expect(sent[0]?.event).to.equal('metadata');
        },
      ),
    );
  });

  it('metadata (1), gap (2 … N−2), report or error (N−1), done (N); a cancelled Run has done alone', () => {
    const shape = (view: RunView): [number, string][] =>
      lastFrames(view, 9).map(({ seq, event }) => [seq, event]);
    expect(shape(ENDINGS[0]!)).to.deep.equal([
      [8, 'report'],
      [9, 'done'],
    ]);
    expect(shape(ENDINGS[1]!)).to.deep.equal([
      [8, 'error'],
      [9, 'done'],
    ]);
    expect(shape(ENDINGS[2]!)).to.deep.equal([[9, 'done']]);
    expect(ENDINGS.map(lastFrameCount)).to.deep.equal([2, 2, 1]);
    expect(framesBetween(run, 0, 8, run.createdAt).map(({ seq, event }) => [seq, event])).to.deep.equal([
      [1, 'metadata'],
      [2, 'gap'],
    ]);
  });
});

describe('FL-1 request headers', () => {
  it('Prefer: wait', () => {
    const cases: [string, number | null][] = [
      ['wait=5', 5],
      ['Wait=5', 5],
      ['respond-async, wait = 7; x=1', 7],
      ['wait="9"', 9],
      ['wait=121', 120],
      ['wait=1, wait=2', 1],
      ['', null],
      ['wait', null],
      ['wait=-1', null],
      ['wait=1.5', null],
      ['wait=9999999999', null],
      ['waiting=3', null],
    ];
    for (const [header, seconds] of cases) expect(preferredWait(header), header).to.equal(seconds);
  });

  it('credentials', () => {
    expect(readCredentials('bEARER abc.-_~+/=')).to.deep.equal({ scheme: 'bearer', token: 'abc.-_~+/=' });
    expect(readCredentials(`Basic ${btoa('me:a:b')}`)).to.deep.equal({ scheme: 'basic', token: 'a:b' });
    for (const header of [
      undefined,
      '',
      'abc',
      'Bearer ',
      'Bearer a b',
      `Bearer ${'x'.repeat(3000)}`,
      'Digest a',
    ])
      expect(readCredentials(header), String(header)).to.equal(null);
  });

  it('a same origin is what the browser says it is', () => {
    const host = 'sworn.example:8787';
    const same = (origin: string | undefined, secFetchSite: string | undefined): boolean =>
      isSameOrigin({ host, origin, secFetchSite });
    expect(same(undefined, undefined)).to.equal(false);
    expect(same('https://sworn.example:8787', undefined)).to.equal(true);
    expect(same('https://sworn.example', undefined)).to.equal(false);
    expect(same('https://sworn.example:8787', 'cross-site')).to.equal(false);
    expect(same('https://sworn.example:8787', 'same-site')).to.equal(false);
    expect(same(undefined, 'same-origin')).to.equal(true);
    expect(same('https://evil.example', 'same-origin')).to.equal(false);
    expect(same('null', undefined)).to.equal(false);
  });
});
