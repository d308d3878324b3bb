/** The commands of package.json: what each needs first, and what it runs. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { ensureBuild } from './build.mjs';
import { runChecks } from './checks.mjs';
import { ensureDependencies } from './dependencies.mjs';
import { Fault } from './fault.mjs';
import { ensureServers } from './install-servers.mjs';
import { runForeground } from './run.mjs';
import { withSetupLock } from './setup-lock.mjs';

/** `ownServers`: it always runs servers of its own, whatever the environment names. */
const COMMANDS = {
  start: { entry: 'dist/src/fleet/main.js', build: 'app', ownServers: false },
  demo: { entry: 'dist/demo/main.js', build: 'app', ownServers: false },
  'try:corpus': { entry: 'dist/demo/try-corpus.js', build: 'app', ownServers: false },
  test: { entry: 'node_modules/mocha/bin/mocha.js', build: 'all', ownServers: true },
  bench: { entry: 'dist/bench/main.js', build: 'all', ownServers: true },
};

/**
 * @param {{root: string, arguments: readonly string[], env: NodeJS.ProcessEnv}} call
 * @returns {Promise<number>} the exit code
 */
export async function runCommand({ root, arguments: [name, ...args], env }) {
  if (name === 'check') {
    await withSetupLock(root, () => ensureDependencies(root, env));
    return runChecks(root, env);
  }
  const command = Object.hasOwn(COMMANDS, name ?? '') ? COMMANDS[name] : undefined;
  if (command === undefined) {
    throw new Fault(
      `There is no command ${name ?? '(none given)'}: use one of ${[...Object.keys(COMMANDS), 'check'].join(', ')}.`,
    );
  }
  await withSetupLock(root, async () => {
    await ensureDependencies(root, env);
    await ensureServers(root, env, neededServers(root, env, command));
    await ensureBuild(root, command.build, env);
  });
  return runForeground(process.execPath, [join(root, command.entry), ...args], { cwd: root, env });
}

/** A server that the environment, or the `.env` file in development, names is not needed here. */
export function neededServers(root, env, { ownServers }) {
  if (ownServers) return ['redis', 'mariadb'];
  const file = join(root, '.env');
  const given = {
    ...(env.NODE_ENV !== 'production' && existsSync(file) ? parseEnv(readFileSync(file, 'utf8')) : {}),
    ...env,
  };
  const isGiven = (variable) => [variable, `${variable}_FILE`].some((key) => (given[key] ?? '') !== '');
  return [...(isGiven('REDIS_URL') ? [] : ['redis']), ...(isGiven('DATABASE_URL') ? [] : ['mariadb'])];
}
