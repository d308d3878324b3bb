import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { isOurs } from '../../src/fleet/process-identity.js';
import type { ServerSpec } from '../../src/fleet/server-spec.js';
import { startServer } from '../../src/fleet/watched-server.js';
import { tempDirs } from './support/temp-dir.js';
import { until } from './support/until.js';

/** A server that answers one client and dies of it, or one that ends at once. */
const MORTAL = `
  const [, config] = process.argv;
  const port = Number(require('node:fs').readFileSync(config, 'utf8'));
  console.log('listening on', port);
  require('node:net').createServer((socket) => {
    socket.end('here', () => setTimeout(() => process.exit(3), 20));
  }).listen(port, '127.0.0.1');
`;

describe('FL-7 a server under watch', function () {
  this.timeout(30_000);
  const tempDir = tempDirs();

  async function spec(script: string): Promise<ServerSpec> {
    const dir = await tempDir();
    const config = join(dir, 'port');
    return {
      name: 'redis',
      program: process.execPath,
      pidFile: join(dir, 'server.pid'),
      logFile: join(dir, 'server.log'),
      mark: config,
      stopSignal: 'SIGTERM',
      stopMs: 5000,
      startMs: 10_000,
      prepare: (port) => writeFile(config, String(port)),
      arguments: () => ['-e', script, config],
      answers: (port) =>
        new Promise((resolve) => {
          connect(port, '127.0.0.1')
            .once('data', () => {
              resolve(true);
            })
            .once('error', () => {
              resolve(false);
            });
        }),
    };
  }

  it('is given up after five deaths in quick succession, with its last words', async () => {
    const mortal = await spec(MORTAL);
    const said: string[] = [];
    const lost: string[] = [];
    const server = await startServer(
      mortal,
      { say: (line) => said.push(line), lost: (message) => lost.push(message) },
      new AbortController().signal,
    );
    try {
      await until('it is given up', () => lost.length > 0);
      const restarts = said.filter((line) => line.includes('starting it again'));
      expect(restarts.map((line) => /\((\d) of 5\)/.exec(line)?.[1])).to.deep.equal([
        '1',
        '2',
        '3',
        '4',
        '5',
      ]);
      expect(lost).to.have.length(1);
      expect(lost[0])
        .to.include('exit code 3')
        .and.include(`listening on ${server.port}`)
        .and.include(mortal.logFile);
    } finally {
      await server.stop();
    }
    expect((await readFile(mortal.logFile, 'utf8')).match(/listening/g)).to.have.length(6);
  });

  it('stops while it waits to start again, and does not come back', async () => {
    const mortal = await spec(MORTAL);
    const said: string[] = [];
    const server = await startServer(
      mortal,
      { say: (line) => said.push(line), lost: () => undefined },
      new AbortController().signal,
    );
    await until('it has died twice', () => said.filter((line) => line.includes('died')).length >= 2);
    const pid = Number.parseInt(await readFile(mortal.pidFile, 'utf8'), 10);
    await server.stop();
    expect(await isOurs(pid, mortal.mark)).to.equal(false);
    expect(said.filter((line) => line.includes('died')).length).to.be.lessThan(5);
  });

  it('is refused when it ends at once', async () => {
    const broken = await spec(`console.error('no such luck'); process.exit(7);`);
    const fault = await startServer(
      broken,
      { say: () => undefined, lost: () => undefined },
      new AbortController().signal,
    ).catch((error: unknown) => error);
    expect((fault as Error).message)
      .to.include('exit code 7')
      .and.include('no such luck')
      .and.include('REDIS_URL');
  });

  it('is ended when the start is given up', async () => {
    const silent = await spec(`setInterval(() => {}, 1000);`);
    const giveUp = new AbortController();
    const started = startServer(silent, { say: () => undefined, lost: () => undefined }, giveUp.signal).catch(
      (error: unknown) => error,
    );
    const text = await until('it runs', () => readFile(silent.pidFile, 'utf8').catch(() => null));
    giveUp.abort();
    expect(await started).to.be.instanceOf(Error);
    expect(await isOurs(Number.parseInt(text, 10), silent.mark)).to.equal(false);
  });
});
