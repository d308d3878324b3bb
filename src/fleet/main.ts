/** `npm start`: the fleet in the foreground, until Ctrl-C. */
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { config as loadDotenv } from 'dotenv';
import { EnvFault } from '../shared/runtime/env.js';
import { StartFault } from '../shared/runtime/start-fault.js';
import { startFleet, type Fleet } from './fleet.js';
import { projectRoot } from './project-root.js';
import { watchStopSignals } from './stop-signals.js';

const say = (line: string): void => void process.stdout.write(`sworn: ${line}\n`);
const complain = (message: string): void => void process.stderr.write(`sworn: ${message}\n`);

function readyText(fleet: Fleet): string {
  const { baseUrl, adminTokenFile, offlineAnalyst, adminToken } = fleet;
  const token =
    adminTokenFile === null ? '$ADMIN_TOKEN' : `$(cat ${relative(process.cwd(), adminTokenFile)})`;
  const lines = [`ready at ${baseUrl}`];
  if (offlineAnalyst) {
    lines.push(
      'the offline analyst answers, a rule-based program; for a model set OPENAI_BASE_URL, OPENAI_API_KEY, OPENAI_MODEL',
    );
  }
  if (adminTokenFile !== null) lines.push(`the admin token is in ${relative(process.cwd(), adminTokenFile)}`);
  else if (adminToken === null)
    lines.push('make a token with: node dist/src/cli/main.js token create --principal NAME --role admin');
  lines.push(
    'ask a first question:',
    `  curl -sS ${baseUrl}/api/chat -H "Authorization: Bearer ${token}" \\`,
    `    -H 'Content-Type: application/json' -H 'Prefer: wait=60' -d '{"query":"Why is checkout slow?"}'`,
  );
  return lines.join('\nsworn: ');
}

async function run(): Promise<number> {
  const signals = watchStopSignals();
  let code = 0;
  const onLost = (message: string): void => {
    complain(message);
    code = 1;
    signals.request();
  };
  try {
    const fleet = await startFleet({ say, onLost, signal: signals.stop });
    say(readyText(fleet));
    if (!signals.stop.aborted) {
      await new Promise<void>((resolve) =>
        signals.stop.addEventListener('abort', () => {
          resolve();
        }),
      );
    }
    say('stopping (Ctrl-C again to hurry)');
    await fleet.stop(signals.hurry);
    say('stopped');
  } catch (error) {
    if (!(error instanceof StartFault || error instanceof EnvFault)) throw error;
    if (!signals.stop.aborted) complain(error.message);
    return signals.stop.aborted ? code : 1;
  } finally {
    signals.dispose();
  }
  return code;
}

/** A terminal that was closed must not keep the rest from being stopped in order. */
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
const root = projectRoot();
process.chdir(root);
const dotenv = join(root, '.env');
if (process.env['NODE_ENV'] !== 'production' && existsSync(dotenv)) loadDotenv({ path: dotenv, quiet: true });
process.exitCode = await run();
