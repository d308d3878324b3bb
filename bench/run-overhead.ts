/**
 * What sworn itself adds to a Run: wall time from the request to the `done` frame, less the time of the model's calls
 * and of the tools (of calls side by side, the longest).
 */
import type { Trace } from '../src/shared/domain/contracts/trace.js';
import { call, follow } from '../test/support/api-client.js';
import { WINDOW, type BenchFleet } from './bench-fleet.js';
import { atMost, quantile, type Figure } from './table.js';

const WARM_UP = 20;
const RUNS = 200;
const SIDE_BY_SIDE = 50;

export async function runOverhead(bench: BenchFleet): Promise<Figure[]> {
  const { fleet, model } = bench;
  const token = fleet.adminToken ?? '';
  const overheads: number[] = [];
  for (let run = 0; run < WARM_UP + RUNS; run += 1) {
    const { runId, wallMs, sessionId } = await oneRun(fleet.baseUrl, token);
    if (run < WARM_UP) continue;
    const trace = await call<Trace>(
      fleet.baseUrl,
      'GET',
      `/api/diagnosis/${sessionId}/trace?runId=${runId}`,
      { token },
    );
    overheads.push(wallMs - ownTime(trace.body));
    (model.requests as unknown[]).length = 0;
  }
  const began = performance.now();
  let left = RUNS;
  await Promise.all(
    Array.from({ length: SIDE_BY_SIDE }, async () => {
      while (left > 0) {
        left -= 1;
        await oneRun(fleet.baseUrl, token);
      }
    }),
  );
  const perSecond = RUNS / ((performance.now() - began) / 1000);
  return [
    atMost('run overhead, median, one at a time', quantile(overheads, 0.5), 60, 'ms'),
    atMost('run overhead, p99, one at a time', quantile(overheads, 0.99), 200, 'ms'),
    {
      what: `runs per second, ${SIDE_BY_SIDE} side by side`,
      value: perSecond.toFixed(1),
      aim: '',
      met: null,
    },
  ];
}

async function oneRun(
  baseUrl: string,
  token: string,
): Promise<{ runId: string; sessionId: string; wallMs: number }> {
  const began = performance.now();
  const accepted = await call<{ runId: string; sessionId: string }>(baseUrl, 'POST', '/api/chat', {
    body: { query: 'Why is checkout slow?', window: WINDOW },
    token,
  });
  if (accepted.status !== 202) throw new Error(`POST /api/chat answered ${accepted.status}`);
  const { runId, sessionId } = accepted.body;
  let done = 0;
  const frames = await follow(baseUrl, runId, {
    token,
    onFrame: ({ event }) => {
      if (event === 'done') done = performance.now();
    },
  });
  const report = frames.find(({ event }) => event === 'report');
  if (report?.data['releaseOutcome'] !== 'SUCCESS') throw new Error('a run of the bench did not succeed');
  return { runId, sessionId, wallMs: done - began };
}

function ownTime(trace: Trace): number {
  const models = trace.steps.reduce((sum, step) => sum + (step.durationMs ?? 0), 0);
  const rounds = new Map<number, number>();
  for (const { round, durationMs } of trace.toolInvocations)
    rounds.set(round, Math.max(rounds.get(round) ?? 0, durationMs ?? 0));
  return models + [...rounds.values()].reduce((sum, ms) => sum + ms, 0);
}
