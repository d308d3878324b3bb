/** A fleet in front of a model that answers at once, on embedded stores of its own. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startFleet, type Fleet } from '../src/fleet/fleet.js';
import { calls, json, startScriptedModel, type ScriptedModel } from '../test/support/scripted-model.js';
import { atMost, quantile, type Figure } from './table.js';

export const WINDOW = { from: '2026-11-30T10:00:00.000Z', to: '2026-11-30T11:00:00.000Z' };
const STARTS = 5;

export interface BenchFleet {
  fleet: Fleet;
  model: ScriptedModel;
  close(): Promise<void>;
}

/** 3 rounds: two searches, two searches, the Draft. */
export async function openBenchFleet(folder: string): Promise<BenchFleet> {
  const model = await startScriptedModel();
  model.always('router', json({ intent: 'DIAGNOSIS', reason: 'bench' }));
  model.always('semantic', json({ verdict: 'SUPPORTED', reason: 'bench' }));
  model.always('diagnosis', ({ messages }) => {
    const round = messages.filter(({ role }) => role === 'assistant').length;
    if (round === 2) return json(draft);
    return calls(search(`c${2 * round + 1}`, round), search(`c${2 * round + 2}`, round + 10));
  });
  const fleet = await startFleet(await fleetOptions(folder, model.url));
  return {
    fleet,
    model,
    close: async () => {
      await fleet.stop();
      await model.close();
    },
  };
}

async function fleetOptions(folder: string, modelUrl: string) {
  const logs = join(folder, 'logs');
  await mkdir(logs, { recursive: true });
  const lines = Array.from(
    { length: 60 },
    (_, n) => `2026-11-30T10:${String(n).padStart(2, '0')}:00Z ERROR timeout ${n}`,
  );
  await writeFile(join(logs, 'checkout.log'), `${lines.join('\n')}\n`);
  const { REDIS_URL: _redis, DATABASE_URL: _database, ...env } = process.env;
  return {
    env,
    dataDir: join(folder, 'data'),
    port: 0,
    quiet: true,
    extraEnv: {
      OPENAI_BASE_URL: modelUrl,
      OPENAI_API_KEY: 'bench',
      OPENAI_MODEL: 'bench',
      LOG_DIR: logs,
      LOG_LEVEL: 'warn',
    },
  };
}

const search = (id: string, minute: number) => ({
  id,
  name: 'log_search',
  arguments: { ...WINDOW, query: `timeout ${minute}` },
});

const draft = {
  conclusion: { text: 'Timeouts were logged.', analysis_ids: ['A1'] },
  analyses: [
    { analysis_id: 'A1', kind: 'NORMAL', text: 'Timeouts were logged.', tool_call_ids: ['c1', 'c4'] },
  ],
  action_plan: [],
  recommendations: [],
  limitations: [],
  missing_context: [],
};

/** Start to ready with servers, data and build in place. */
export async function startFigures(folder: string): Promise<Figure[]> {
  const model = await startScriptedModel();
  const times: number[] = [];
  try {
    for (let start = 0; start <= STARTS; start += 1) {
      const began = performance.now();
      const fleet = await startFleet(await fleetOptions(folder, model.url));
      if (start > 0) times.push((performance.now() - began) / 1000);
      await fleet.stop();
    }
  } finally {
    await model.close();
  }
  return [atMost('warm start to ready, median', quantile(times, 0.5), 6, 's')];
}
