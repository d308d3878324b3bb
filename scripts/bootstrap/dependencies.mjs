/** Installs the packages of the lock file when they are not there. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from './fault.mjs';
import { runForeground, say } from './run.mjs';

const STAMP = '.sworn-lock';

/** Makes `node_modules` what `package-lock.json` says. */
export async function ensureDependencies(root, env) {
  if (dependenciesCurrent(root)) return;
  say('Installing packages (npm ci).');
  const [program, args] = npm(env);
  const code = await runForeground(program, [...args, 'ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    env: { ...env, NODE_ENV: '' },
  });
  if (code !== 0) throw new Fault(`npm ci failed (exit code ${code}): see above; it needs the network once.`);
  writeStamp(root);
}

/**
 * Whether `node_modules` fits the lock file. Times are not looked at: a fresh clone may have any. Packages installed by
 * hand count when npm's own note of them names the same versions.
 */
export function dependenciesCurrent(root) {
  const modules = join(root, 'node_modules');
  if (!existsSync(modules)) return false;
  if (read(join(modules, STAMP))?.trim() === lockHash(root)) return true;
  if (!sameVersions(read(join(root, 'package-lock.json')), read(join(modules, '.package-lock.json'))))
    return false;
  writeStamp(root);
  return true;
}

export function lockHash(root) {
  return createHash('sha256')
    .update(read(join(root, 'package-lock.json')) ?? '')
    .digest('hex');
}

/** Each package that the lock requires stands in npm's note of what is installed, in that version. */
export function sameVersions(lockText, installedText) {
  try {
    const wanted = JSON.parse(lockText ?? '').packages;
    const installed = JSON.parse(installedText ?? '').packages;
    return Object.entries(wanted).every(
      ([path, entry]) => path === '' || entry.optional === true || installed[path]?.version === entry.version,
    );
  } catch {
    return false;
  }
}

function writeStamp(root) {
  writeFileSync(join(root, 'node_modules', STAMP), `${lockHash(root)}\n`);
}

/** The npm that runs this script, else the one on PATH. */
function npm(env) {
  const running = env.npm_execpath;
  return running !== undefined && running.endsWith('npm-cli.js')
    ? [process.execPath, [running]]
    : ['npm', []];
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
