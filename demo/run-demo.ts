/** The demo: an incident made up for this moment, three questions about it, and what sworn says to each. */
import { join } from 'node:path';
import type { RunView } from '../src/shared/domain/contracts/run.js';
import { trialConsole, type ConsoleStream, type TrialConsole } from './console.js';
import { importRunbooks } from './import-runbooks.js';
import { generateLogs } from './incident/generate-logs.js';
import { loadShop, SHOP_SCHEMA } from './incident/load-shop.js';
import { runTrial } from './run-trial.js';
import { runbooksDir } from './runbooks-dir.js';
import { startTrialFleet, type PreparedStores, type TrialFleet } from './trial-fleet.js';
import { demoFaults } from './demo-faults.js';

export interface DemoOptions {
  env: NodeJS.ProcessEnv;
  out: ConsoleStream;
  /** For faults. */
  complain: (message: string) => void;
  /** Serve until a signal to stop comes, after the questions. */
  keepServing: boolean;
}

/** One that ends in a report, one that a runbook answers, one that the data cannot answer. */
const QUESTIONS = [
  'Why is checkout slow?',
  'How do I roll back a migration safely?',
  'Why do push notifications arrive late?',
];

const INTRODUCTION =
  'sworn demo: a shop whose checkout has become slow. Its logs and its database are made up for this moment.';

/** @returns the exit code: 0 when no Run failed and the first question ended in a published report. */
export async function runDemo(options: DemoOptions): Promise<number> {
  const trial = trialConsole(options.out, options.env);
  trial.say(trial.view.palette.bold(INTRODUCTION));
  return runTrial(options.complain, async (signals, onLost) => {
    const started = await startTrialFleet({
      name: 'demo',
      env: options.env,
      signals,
      say: (line) => {
        trial.say(trial.view.palette.dim(line));
      },
      onLost,
      prepare: prepareIncident,
    });
    const run = async (): Promise<string[]> => {
      const faults = demoFaults(await askAll(started, trial, signals.stop));
      if (options.keepServing) await serveOn(started, trial, signals.stop);
      return faults;
    };
    return { fleet: started.fleet, run };
  });
}

/** Logs and tables are made for the same moment, so that they tell the same story. */
async function prepareIncident(stores: PreparedStores): Promise<Readonly<Record<string, string>>> {
  const now = new Date();
  const logs = join(stores.dataDir, 'shop-logs');
  const [reader] = await Promise.all([loadShop(stores.adminDatabaseUrl, now), generateLogs(logs, now)]);
  return {
    LOG_DIR: logs,
    LOG_TIMEZONE: 'UTC',
    TARGET_DATABASE_URL: reader,
    TARGET_SCHEMAS: SHOP_SCHEMA,
  };
}

async function askAll(
  { fleet, client, tokenInShell }: TrialFleet,
  trial: TrialConsole,
  stop: AbortSignal,
): Promise<RunView[]> {
  await importRunbooks(fleet.databaseUrl, runbooksDir());
  const runs: RunView[] = [];
  for (const query of QUESTIONS) {
    const run = await trial.ask(client, { query }, stop);
    runs.push(run);
    trial.say(`\nTrace: ${fleet.baseUrl}/api/diagnosis/${run.sessionId}/trace?runId=${run.runId}`);
  }
  trial.say(
    `\nA trace opens in a browser (any name, the token as password) or in a shell:\n  curl -sS -H "Authorization: Bearer ${tokenInShell}" '<trace>'`,
  );
  return runs;
}

async function serveOn({ fleet }: TrialFleet, trial: TrialConsole, stop: AbortSignal): Promise<void> {
  trial.say(`\nsworn keeps serving at ${fleet.baseUrl}; Ctrl-C stops it.`);
  if (stop.aborted) return;
  await new Promise<void>((resolve) => {
    stop.addEventListener(
      'abort',
      () => {
        resolve();
      },
      { once: true },
    );
  });
}
