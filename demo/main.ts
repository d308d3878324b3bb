/** `npm run demo [-- --exit]`. On a terminal, and without `--exit`, it serves on after the questions. */
import { enterProject } from './enter-project.js';
import { runDemo } from './run-demo.js';

const complain = (message: string): void => void process.stderr.write(`sworn: ${message}\n`);

const strange = process.argv.slice(2).filter((argument) => argument !== '--exit');
if (strange.length > 0) {
  complain(`unknown argument ${strange.join(' ')}: the demo knows --exit alone`);
  process.exitCode = 1;
} else {
  enterProject();
  process.exitCode = await runDemo({
    env: process.env,
    out: process.stdout,
    complain,
    keepServing: process.stdout.isTTY && !process.argv.includes('--exit'),
  });
}
