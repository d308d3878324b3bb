import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { createConnection } from 'mysql2/promise';
import { portFault } from '../../src/fleet/free-port.js';
import { startThrowAwayServers, type ThrowAwayServers } from '../support/servers.js';
import { until } from './support/until.js';

const HOLDER = fileURLToPath(new URL('./support/hold-throw-away.js', import.meta.url));
const PREFIX = 'sworn-throw-away-';

/** The folder of the run whose Redis has this password. */
async function folderOf(redisUrl: string): Promise<string> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const config = await readFile(join(tmpdir(), name, 'redis/redis.conf'), 'utf8').catch(() => '');
    if (config.includes(`requirepass ${new URL(redisUrl).password}`)) return join(tmpdir(), name);
  }
  throw new Error('no folder holds these servers');
}

const closed = async (url: string): Promise<boolean> =>
  (await portFault('127.0.0.1', Number(new URL(url).port))) === null;

async function makeSchema({ adminDatabaseUrl }: ThrowAwayServers): Promise<void> {
  const admin = await createConnection(adminDatabaseUrl);
  try {
    await admin.query('CREATE DATABASE of_a_test');
    await admin.query("CREATE USER 'reader'@'127.0.0.1' IDENTIFIED BY 'x'");
    await admin.query("GRANT SELECT ON of_a_test.* TO 'reader'@'127.0.0.1'");
  } finally {
    await admin.end();
  }
}

describe('FL-7 throw-away servers', function () {
  this.timeout(60_000);

  it('let an administrator make schemas, and leave nothing behind', async () => {
    const servers = await startThrowAwayServers();
    const folder = await folderOf(servers.redisUrl).finally(() =>
      makeSchema(servers).finally(() => servers.stop()),
    );
    expect(existsSync(folder)).to.equal(false);
    expect(await closed(servers.redisUrl)).to.equal(true);
    expect(await closed(servers.databaseUrl)).to.equal(true);
  });

  it('end with a test run that is killed', async () => {
    const holder = spawn(process.execPath, [HOLDER], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [redisUrl] = (await once(createInterface({ input: holder.stdout }), 'line')) as [string];
      const folder = await folderOf(redisUrl);
      holder.kill('SIGKILL');
      await until('the servers are gone', () => closed(redisUrl));
      await until('their folder is gone', () => !existsSync(folder));
    } finally {
      holder.kill('SIGKILL');
    }
  });

  it('clear what a run left behind whose keeper was killed too, and only that', async () => {
    const [old, young] = [
      join(tmpdir(), `${PREFIX}old-${process.pid}`),
      join(tmpdir(), `${PREFIX}young-${process.pid}`),
    ];
    const stranded = spawn(process.execPath, [
      '-e',
      'setInterval(() => {}, 1000)',
      join(old, 'redis', 'redis.conf'),
    ]);
    try {
      for (const folder of [old, young]) await mkdir(join(folder, 'redis'), { recursive: true });
      await writeFile(join(old, 'redis', 'redis.pid'), `${stranded.pid}\n`);
      const hourAgo = new Date(Date.now() - 3_600_000);
      await utimes(old, hourAgo, hourAgo);
      const servers = await startThrowAwayServers();
      await servers.stop();
      expect(existsSync(old)).to.equal(false);
      expect(existsSync(young)).to.equal(true);
      await until('the stranded server is gone', () => stranded.signalCode !== null);
    } finally {
      stranded.kill('SIGKILL');
      await rm(old, { recursive: true, force: true });
      await rm(young, { recursive: true, force: true });
    }
  });
});
