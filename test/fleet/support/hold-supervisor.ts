/** A supervisor to be killed: runs one command and says its process ID on stdout. */
import { supervise } from '../../../src/fleet/supervisor.js';

const [cwd = '', command = ''] = process.argv.slice(2);
const supervisor = supervise({
  commands: [{ name: 'child', command }],
  cwd,
  env: process.env,
  output: { kind: 'listener', listener: (_process, line) => process.stdout.write(`${line}\n`) },
  say: () => undefined,
});
process.stdout.write(`${JSON.stringify([...supervisor.pids()])}\n`);
