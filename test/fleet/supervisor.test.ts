import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { openBoundedLog, LineTail } from '../../src/fleet/bounded-log.js';
import { isOurs } from '../../src/fleet/process-identity.js';
import { lineSink } from '../../src/fleet/process-output.js';
import {
  supervise,
  type Death,
  type Supervisor,
  type SupervisorOptions,
} from '../../src/fleet/supervisor.js';
import { tempDirs } from './support/temp-dir.js';
import { until } from './support/until.js';

const HOLDER = fileURLToPath(new URL('./support/hold-supervisor.js', import.meta.url));
/** What each process of the fleet does: it lives as long as its supervisor's pipe. */
const FOLLOW = `process.stdin.on('end', () => process.exit(0)).resume();`;

describe('FL-7 the supervisor of the fleet', function () {
  this.timeout(30_000);
  const tempDir = tempDirs();

  async function scenario(
    scripts: Record<string, string>,
    work: (given: {
      supervisor: Supervisor;
      lines: string[];
      said: string[];
      deaths: Death[];
      dir: string;
    }) => Promise<void>,
    change: Partial<SupervisorOptions> = {},
  ): Promise<void> {
    const dir = await tempDir();
    const lines: string[] = [];
    const said: string[] = [];
    const deaths: Death[] = [];
    for (const [name, script] of Object.entries(scripts)) await writeFile(join(dir, `${name}.cjs`), script);
    const supervisor = supervise({
      commands: Object.keys(scripts).map((name) => ({ name, command: `node ${name}.cjs` })),
      cwd: dir,
      env: process.env,
      output: { kind: 'listener', listener: (name, line) => lines.push(`${name}: ${line}`) },
      say: (line) => said.push(line),
      onDeath: (death) => deaths.push(death) > 0,
      ...change,
    });
    try {
      await work({ supervisor, lines, said, deaths, dir });
    } finally {
      await supervisor.stop(5000);
    }
  }

  it('starts a process again that dies, by whatever code, and says so', () =>
    scenario(
      {
        steady: `console.log('up', process.pid); ${FOLLOW}`,
        failing: `console.error('broken'); process.exit(4);`,
        leaving: `process.exit(0);`,
      },
      async ({ lines, said, deaths, supervisor }) => {
        await until('each has died twice', () =>
          ['failing', 'leaving'].every(
            (name) => deaths.filter((death) => death.process === name).length >= 2,
          ),
        );
        expect(said).to.include('failing died (exit code 4); starting it again in 0.5 s');
        expect(said).to.include('failing died (exit code 4); starting it again in 1 s');
        expect(said).to.include('leaving died (exit code 0); starting it again in 0.5 s');
        expect(deaths.find((death) => death.process === 'failing')).to.deep.include({
          count: 1,
          lastWords: 'broken',
        });
        expect(lines.filter((line) => line.startsWith('steady: up'))).to.have.length(1);
        const pid = supervisor.pids().get('steady') ?? 0;
        process.kill(pid, 'SIGKILL');
        await until(
          'it is up again',
          () => lines.filter((line) => line.startsWith('steady: up')).length === 2,
        );
        expect(said).to.include('steady died (SIGKILL); starting it again in 0.5 s');
      },
    ));

  it('lets a process drain after SIGTERM and kills one that does not end in time', () =>
    scenario(
      {
        draining: `process.on('SIGTERM', () => setTimeout(() => { console.log('drained'); process.exit(0); }, 200));
                   console.log('up'); setInterval(() => {}, 1000);`,
        deaf: `process.on('SIGTERM', () => console.log('heard')); console.log('up'); setInterval(() => {}, 1000);`,
      },
      async ({ supervisor, lines, said, dir }) => {
        await until('both are up', () => lines.filter((line) => line.endsWith(': up')).length === 2);
        const pids = [...supervisor.pids().values()];
        await supervisor.stop(1500);
        expect(lines).to.include('draining: drained').and.include('deaf: heard');
        for (const pid of pids) expect(await isOurs(pid, dir)).to.equal(false);
        expect(said).to.deep.equal([]);
      },
    ));

  it('kills at once when told to hurry', () =>
    scenario(
      {
        deaf: `process.on('SIGTERM', () => console.log('heard')); console.log('up'); setInterval(() => {}, 1000);`,
      },
      async ({ supervisor, lines }) => {
        await until('it is up', () => lines.includes('deaf: up'));
        const hurry = new AbortController();
        const stopped = supervisor.stop(600_000, hurry.signal);
        await until('it has been asked first', () => lines.includes('deaf: heard'));
        hurry.abort();
        await stopped;
        expect(supervisor.pids().size).to.equal(0);
      },
    ));

  it('takes its processes with it when it is killed, through the pipe on their stdin', async () => {
    const dir = await tempDir();
    const script = join(dir, 'child.cjs');
    await writeFile(script, `console.log(process.env.SWORN_SUPERVISED, process.ppid); ${FOLLOW}`);
    const holder = spawn(process.execPath, [HOLDER, dir, `node ${script}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const lines: string[] = [];
      const reader = createInterface({ input: holder.stdout }).on('line', (line) => lines.push(line));
      await until('the child speaks', () => lines.length === 2);
      const pids = JSON.parse(lines[0] ?? '') as [string, number][];
      const pid = pids[0]?.[1] ?? 0;
      expect(lines[1]).to.equal(`1 ${holder.pid}`, 'node is the direct child, not a shell');
      expect(await isOurs(pid, script)).to.equal(true);
      holder.kill('SIGKILL');
      await once(holder, 'exit');
      await until('the child is gone', async () => !(await isOurs(pid, script)));
      reader.close();
    } finally {
      holder.kill('SIGKILL');
    }
  });

  it('keeps output in bounded files when quiet', () =>
    scenario({ talker: `console.log('hello'); ${FOLLOW}` }, async () => {
      const logs = await tempDir();
      const supervisor = supervise({
        commands: [{ name: 'talker', command: `echo hello; exec cat` }],
        cwd: logs,
        env: process.env,
        output: { kind: 'files', dir: logs },
        say: () => undefined,
      });
      try {
        await until('it is written', async () =>
          (await readFile(join(logs, 'talker.log'), 'utf8').catch(() => '')).includes('hello'),
        );
        expect((await stat(join(logs, 'talker.log'))).mode & 0o777).to.equal(0o600);
      } finally {
        await supervisor.stop(2000);
      }
    }));

  it('bounds a log file to twice its limit and keeps the newest', async () => {
    const path = join(await tempDir(), 'x.log');
    const log = openBoundedLog(path, 100);
    for (let i = 0; i < 50; i += 1) log.write(`line ${String(i).padStart(3, '0')}\n`);
    log.write('y'.repeat(500));
    log.close();
    const [now, before] = [await readFile(path, 'utf8'), await readFile(`${path}.1`, 'utf8')];
    expect(now).to.equal('y'.repeat(100));
    expect(before.length).to.be.at.most(100);
    expect(before).to.include('line 049');
    openBoundedLog(path, 100).close();
    expect((await stat(path)).size).to.equal(0);
  });

  it('cuts output into lines over any chunks', () => {
    const lines: string[] = [];
    const sink = lineSink((name, line) => lines.push(`${name}|${line}`));
    for (const chunk of ['a', 'b\nc', '\n', '\nd']) sink.write('p', Buffer.from(chunk));
    sink.close();
    expect(lines).to.deep.equal(['p|ab', 'p|c', 'p|', 'p|d']);
    const tail = new LineTail(2);
    for (const chunk of ['1\n2\n', '3', '\n4']) tail.push(chunk);
    expect(tail.toString()).to.equal('2\n3\n4');
  });
});
