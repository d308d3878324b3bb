/** The whole of `npm run demo -- --exit`, warm: servers, data and build in place. */
import { spawn } from 'node:child_process';
import { projectRoot } from '../src/fleet/project-root.js';
import { atMost, type Figure } from './table.js';

export async function demoFigures(): Promise<Figure[]> {
  await demo();
  const seconds = await demo();
  return [atMost('warm npm run demo -- --exit', seconds, 20, 's')];
}

async function demo(): Promise<number> {
  const began = performance.now();
  const child = spawn('npm', ['run', '--silent', 'demo', '--', '--exit'], {
    cwd: projectRoot(),
    stdio: 'ignore',
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', resolve);
  });
  if (code !== 0) throw new Error(`npm run demo ended with ${code ?? 'a signal'}`);
  return (performance.now() - began) / 1000;
}
