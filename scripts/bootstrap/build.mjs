/** Compiles what a command needs, when its sources have changed since. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { Fault } from './fault.mjs';
import { runForeground, say } from './run.mjs';

/** `app`: what runs. `all`: tests and measurements too. */
const BUILDS = {
  app: { config: 'tsconfig.build.json', folders: ['src', 'migrations', 'demo'] },
  all: { config: 'tsconfig.json', folders: ['src', 'migrations', 'demo', 'test', 'bench'] },
};
const OUTPUT = /\.(js|js\.map|d\.ts)$/;

/**
 * @param {string} root
 * @param {'app' | 'all'} kind
 * @param {NodeJS.ProcessEnv} env
 */
export async function ensureBuild(root, kind, env) {
  const hash = sourceHash(root, kind);
  if (readStamp(root, kind) === hash) return;
  say(kind === 'app' ? 'Building.' : 'Building, with tests.');
  forgetStamp(root, kind);
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  if (!existsSync(join(root, 'dist', 'src'))) forgetIncrements(root);
  const code = await runForeground(process.execPath, [tsc, '-p', BUILDS[kind].config], { cwd: root, env });
  if (code !== 0) throw new Fault(`The build failed (exit code ${code}): see above.`);
  for (const folder of BUILDS.all.folders) prune(join(root, 'dist', folder), join(root, folder));
  writeStamp(root, kind, hash);
  if (kind === 'all') writeStamp(root, 'app', sourceHash(root, 'app'));
}

/** Of every source's path and content, with the compiler's settings and version. */
export function sourceHash(root, kind) {
  const hash = createHash('sha256');
  const files = BUILDS[kind].folders.flatMap((folder) => filesBelow(join(root, folder), /\.ts$/));
  for (const path of [
    ...files,
    join(root, 'tsconfig.json'),
    join(root, 'tsconfig.build.json'),
    join(root, 'package-lock.json'),
  ]) {
    hash.update(`${relative(root, path)}\0`);
    hash.update(existsSync(path) ? readFileSync(path) : '');
    hash.update('\0');
  }
  return hash.digest('hex');
}

/** Removes what was built from sources that are gone: a deleted test must not run on. */
export function prune(built, sources) {
  for (const path of filesBelow(built, OUTPUT)) {
    const source = join(sources, relative(built, path).replace(OUTPUT, '.ts'));
    if (!existsSync(source)) rmSync(path, { force: true });
  }
}

function filesBelow(folder, pattern) {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** What tsc remembers of an output that is gone would keep it from writing it again. */
function forgetIncrements(root) {
  for (const name of ['.tsbuildinfo', '.tsbuildinfo-build'])
    rmSync(join(root, 'dist', name), { force: true });
}

const stampPath = (root, kind) => join(root, 'dist', `.built-${kind}`);

/** A stamp without the output it speaks of counts for nothing. */
function readStamp(root, kind) {
  if (!existsSync(join(root, 'dist', 'src', 'fleet', 'main.js'))) return null;
  try {
    return readFileSync(stampPath(root, kind), 'utf8').trim();
  } catch {
    return null;
  }
}

function forgetStamp(root, kind) {
  rmSync(stampPath(root, kind), { force: true });
}

function writeStamp(root, kind, hash) {
  mkdirSync(join(root, 'dist'), { recursive: true });
  writeFileSync(stampPath(root, kind), `${hash}\n`);
}
