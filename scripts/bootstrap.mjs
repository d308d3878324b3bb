/**
 * Sets up what a command needs on a machine that has Node and nothing else, then runs it:
 * `node scripts/bootstrap.mjs <start|demo|test|bench|try:corpus|check> [arguments]`.
 * Node's own modules only: it runs before anything is installed.
 */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Fault } from './bootstrap/fault.mjs';
import { nodeFault } from './bootstrap/node-version.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

try {
  const tooOld = nodeFault(process.versions.node);
  if (tooOld !== null) throw new Fault(tooOld);
  const { runCommand } = await import('./bootstrap/commands.mjs');
  process.exitCode = await runCommand({ root, arguments: process.argv.slice(2), env: process.env });
} catch (error) {
  if (!(error instanceof Fault)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
