import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { isOurs } from '../../src/fleet/process-identity.js';
import { FOLDER } from './support/bootstrap-scripts.js';
import { tempDirs } from './support/temp-dir.js';
import { until } from './support/until.js';

describe('FL-7 a command in the foreground of its bootstrap', function () {
  this.timeout(30_000);
  const tempDir = tempDirs();
  const inner = `
      import { watchStopSignals } from ${JSON.stringify(new URL('../../src/fleet/stop-signals.js', import.meta.url).href)};
      const signals = watchStopSignals();
      const alive = setInterval(() => {}, 1000);
      signals.stop.addEventListener('abort', () => {
        console.log('stopping');
        setTimeout(() => { clearInterval(alive); signals.dispose(); process.exitCode = 5; }, 100);
      });
      console.log('up', process.pid);
    `;
  const outer = (innerPath: string): string => `
      import { runForeground } from ${JSON.stringify(pathToFileURL(join(FOLDER, 'run.mjs')).href)};
      process.exitCode = await runForeground(process.execPath, [${JSON.stringify(innerPath)}], { cwd: '/', env: process.env });
    `;

  async function withOuter(
    work: (given: {
      child: ChildProcessWithoutNullStreams;
      pid: number;
      text: () => string;
      innerPath: string;
    }) => Promise<void>,
  ): Promise<void> {
    const dir = await tempDir();
    const innerPath = join(dir, 'inner.mjs');
    await writeFile(innerPath, inner);
    await writeFile(join(dir, 'outer.mjs'), outer(innerPath));
    const child = spawn(process.execPath, [join(dir, 'outer.mjs')]);
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    try {
      const pid = await until('the command is up', () => /up (\d+)/.exec(text)?.[1]);
      await work({ child, pid: Number(pid), text: () => text, innerPath });
    } finally {
      child.kill('SIGKILL');
    }
  }

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`hands ${signal} on, waits for the orderly end and passes the exit code on`, () =>
      withOuter(async ({ child, text }) => {
        child.kill(signal);
        const [code] = (await once(child, 'exit')) as [number | null];
        expect(code).to.equal(5);
        expect(text()).to.match(/stopping/);
      }));
  }

  it('lets the command see that the bootstrap was killed, so that it stops in order', () =>
    withOuter(async ({ child, pid, text, innerPath }) => {
      child.kill('SIGKILL');
      await until('the command is gone', async () => !(await isOurs(pid, innerPath)));
      expect(text()).to.match(/stopping/);
    }));

  it('reports a killed command as a shell does', () =>
    withOuter(async ({ child, pid }) => {
      process.kill(pid, 'SIGKILL');
      const [code] = (await once(child, 'exit')) as [number | null];
      expect(code).to.equal(128 + 9);
    }));
});
