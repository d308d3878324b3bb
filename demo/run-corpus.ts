/** The trial on material that nobody here wrote: real logs, runbooks and a sample database, with figures known beforehand. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { RunView } from '../src/shared/domain/contracts/run.js';
import { StartFault } from '../src/shared/runtime/start-fault.js';
import { trialConsole, type ConsoleStream, type TrialConsole } from './console.js';
import { corpusQuestions, figureFaults, type CorpusQuestion } from './corpus/corpus-question.js';
import { countFigures } from './corpus/known-figures.js';
import { loadSakila, SAKILA_SCHEMA } from './corpus/load-sakila.js';
import { logSpan } from './corpus/log-span.js';
import { importRunbooks } from './import-runbooks.js';
import { startTrialFleet, type TrialFleet } from './trial-fleet.js';
import { runTrial } from './run-trial.js';

export interface CorpusOptions {
  env: NodeJS.ProcessEnv;
  out: ConsoleStream;
  complain: (message: string) => void;
}

const FOLDERS = ['logs', 'runbooks', 'sql'];

/** @returns the exit code: 0 also when there is no corpus, 1 when a figure is wrong. */
export async function runCorpus(options: CorpusOptions): Promise<number> {
  const trial = trialConsole(options.out, options.env);
  const given = options.env['CORPUS_DIR'];
  if (given === undefined || given === '') {
    trial.say('skipped: CORPUS_DIR is not set (a folder with logs/, runbooks/ and sql/)');
    return 0;
  }
  const dir = resolve(given);
  if (!existsSync(dir)) {
    trial.say(`skipped: CORPUS_DIR names ${dir}, which is not there`);
    return 0;
  }
  return runTrial(options.complain, async (signals, onLost) => {
    const missing = FOLDERS.filter((name) => !existsSync(join(dir, name)));
    if (missing.length > 0) throw new StartFault(`CORPUS_DIR has no folder ${missing.join(', ')}.`);
    let readerUrl = '';
    const started = await startTrialFleet({
      name: 'corpus',
      env: options.env,
      signals,
      say: (line) => {
        trial.say(trial.view.palette.dim(line));
      },
      onLost,
      prepare: async ({ adminDatabaseUrl, ownServer }) => {
        readerUrl = await loadSakila({ adminUrl: adminDatabaseUrl, sqlDir: join(dir, 'sql'), ownServer });
        return corpusEnv(dir, readerUrl);
      },
    });
    return { fleet: started.fleet, run: () => askAll(started, trial, dir, readerUrl, signals.stop) };
  });
}

function corpusEnv(dir: string, readerUrl: string): Record<string, string> {
  return {
    LOG_DIR: join(dir, 'logs'),
    LOG_TIMEZONE: 'UTC',
    TARGET_DATABASE_URL: readerUrl,
    TARGET_SCHEMAS: SAKILA_SCHEMA,
  };
}

async function askAll(
  { fleet, client }: TrialFleet,
  trial: TrialConsole,
  dir: string,
  readerUrl: string,
  stop: AbortSignal,
): Promise<string[]> {
  await importRunbooks(fleet.databaseUrl, join(dir, 'runbooks'));
  const logs = join(dir, 'logs');
  const figures = await countFigures(dir, readerUrl);
  const questions = corpusQuestions(figures, {
    openSsh: await logSpan(join(logs, 'OpenSSH_2k.log')),
    apache: await logSpan(join(logs, 'Apache_2k.log')),
    zookeeper: await logSpan(join(logs, 'Zookeeper_2k.log')),
  });
  const faults = figureFaults(figures);
  for (const question of questions) {
    const { query, window } = question;
    const run = await trial.ask(client, { query, ...(window === null ? {} : { window }) }, stop);
    faults.push(...faultsOf(question, run));
  }
  trial.say(`\n${questions.length} questions asked, ${faults.length} faults found`);
  return faults;
}

function faultsOf(question: CorpusQuestion, run: RunView): string[] {
  return question.faults(run).map((fault) => `“${question.query}”: ${fault}`);
}
