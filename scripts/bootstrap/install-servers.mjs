/** Brings Redis and MariaDB onto this machine when they are not there. */
import { Fault } from './fault.mjs';
import { findServers } from './find-servers.mjs';
import { byHandText, installPlan } from './install-plan.mjs';
import { runForeground, runQuietly, say } from './run.mjs';

/**
 * @param {string} root
 * @param {NodeJS.ProcessEnv} env
 * @param {readonly ('redis' | 'mariadb')[]} wanted
 */
export async function ensureServers(root, env, wanted) {
  const { missing, notes } = await findServers(env, wanted);
  if (missing.length === 0) return;
  const plan = installPlan(await inspectMachine(env), missing);
  const code = await carryOut(plan, { root, env, missing });
  if (code === null) throw new Fault(byHandText(missing, notes));
  const after = await findServers(env, missing);
  if (code !== 0 || after.missing.length > 0) {
    const why =
      code === 0
        ? 'The installation brought no server that fits.'
        : `The installation failed (exit code ${code}).`;
    throw new Fault(`${why}\n${byHandText(after.missing.length > 0 ? after.missing : missing, after.notes)}`);
  }
}

/** @returns the exit code; null when it must be done by hand */
async function carryOut(plan, { root, env, missing }) {
  const names = missing.map((name) => (name === 'redis' ? 'Redis' : 'MariaDB')).join(' and ');
  switch (plan.kind) {
    case 'apt':
      say(`Installing ${names} (apt-get; no service is started).`);
      return plan.sudo
        ? runForeground('sudo', ['-n', 'sh', '-c', plan.script], { cwd: root, env })
        : runForeground('sh', ['-c', plan.script], { cwd: root, env });
    case 'brew':
      say(`Installing ${names} (Homebrew; no service is started).`);
      return runForeground('brew', ['install', ...plan.formulas], { cwd: root, env });
    case 'by-hand':
      return null;
  }
}

/** Looks at what this machine can install with; `SWORN_NO_INSTALL=1` keeps it from being changed. */
export async function inspectMachine(env) {
  const has = async (program) => (await runQuietly('sh', ['-c', `command -v ${program}`], { env })).ok;
  if (env.SWORN_NO_INSTALL === '1')
    return { platform: process.platform, aptGet: false, brew: false, rights: 'none' };
  const [aptGet, brew, sudo] = await Promise.all([has('apt-get'), has('brew'), has('sudo')]);
  const root = process.getuid?.() === 0;
  const rights = root
    ? 'root'
    : sudo && (await runQuietly('sudo', ['-n', 'true'], { env })).ok
      ? 'sudo'
      : 'none';
  return { platform: process.platform, aptGet, brew, rights };
}
