import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import {
  startEmbedded,
  type EmbeddedOptions,
  type EmbeddedServers,
} from '../../src/fleet/embedded-servers.js';
import { isOurs } from '../../src/fleet/process-identity.js';
import { StartFault } from '../../src/shared/runtime/start-fault.js';
import { tempDirs } from './support/temp-dir.js';
import { until } from './support/until.js';

const HOLDER = fileURLToPath(new URL('./support/hold-servers.js', import.meta.url));

describe('FL-7 embedded servers', function () {
  this.timeout(60_000);
  const tempDir = tempDirs();
  const running: EmbeddedServers[] = [];
  const holders: ChildProcess[] = [];

  const stopAll = async (): Promise<void> => {
    for (const holder of holders.splice(0)) holder.kill('SIGKILL');
    for (const servers of running.splice(0)) await servers.stop();
  };

  async function start(options: Partial<EmbeddedOptions> & { dataDir: string }): Promise<EmbeddedServers> {
    const servers = await startEmbedded({ log: () => undefined, ...options });
    running.push(servers);
    return servers;
  }

  async function scenario(work: (dir: string) => Promise<void>, name = 'data'): Promise<void> {
    const dir = join(await tempDir(), name);
    try {
      await work(dir);
    } finally {
      await stopAll();
    }
  }

  const pidIn = async (dir: string, file: string): Promise<number> =>
    Number.parseInt(await readFile(join(dir, file), 'utf8'), 10);
  const redisPid = (dir: string): Promise<number> => pidIn(dir, 'redis/redis.pid');
  const sqlPid = (dir: string): Promise<number> => pidIn(dir, 'mariadb/server.pid');

  it('keep what was written for the next start, behind passwords, in folders of the owner alone', () =>
    scenario(async (dir) => {
      const first = await start({ dataDir: dir });
      await setKey(first, 'kept');
      await sql(first.databaseUrl, 'CREATE TABLE note (text VARCHAR(20))');
      await sql(first.databaseUrl, "INSERT INTO note VALUES ('kept 😀')");
      await first.stop();
      expect(existsSync(join(dir, 'keeper.json'))).to.equal(false);

      const second = await start({ dataDir: dir });
      expect(await getKey(second)).to.equal('kept');
      const [row] = await sql(
        second.databaseUrl,
        'SELECT text, @@time_zone AS zone, @@tx_isolation AS level, @@character_set_server AS charset FROM note',
      );
      expect(row).to.include({
        text: 'kept 😀',
        zone: '+00:00',
        level: 'READ-COMMITTED',
        charset: 'utf8mb4',
      });
      expect(await redisSettings(second)).to.deep.include({
        appendonly: 'yes',
        appendfsync: 'everysec',
        'maxmemory-policy': 'noeviction',
        bind: '127.0.0.1',
      });
      expect(await nobodyMayEnter(second)).to.deep.equal({ redis: true, root: true });
      expect((await stat(dir)).mode & 0o777).to.equal(0o700);
      for (const file of ['secrets.json', 'redis/redis.conf', 'mariadb/init.sql', 'logs/redis.log']) {
        expect((await stat(join(dir, file))).mode & 0o777, file).to.equal(0o600);
      }
    }));

  it('end with a supervisor that is killed', () =>
    scenario(async (dir) => {
      const holder = spawn(process.execPath, [HOLDER, dir], { stdio: ['ignore', 'pipe', 'inherit'] });
      holders.push(holder);
      await once(createInterface({ input: holder.stdout }), 'line');
      const pids = [await redisPid(dir), await sqlPid(dir)];
      for (const pid of pids) expect(await isOurs(pid, dir)).to.equal(true);

      holder.kill('SIGKILL');

      for (const pid of pids) await until('the server is gone', async () => !(await isOurs(pid, dir)));
      await until('the lock is given back', () => !existsSync(join(dir, 'keeper.json')));
    }));

  it('are recovered by the next start when the keeper was killed, stale lock and stranded servers included', () =>
    scenario(async (dir) => {
      const lost: string[] = [];
      const first = await start({ dataDir: dir, onLost: (message) => lost.push(message) });
      await sql(first.databaseUrl, 'CREATE TABLE note (text VARCHAR(20))');
      const stranded = [await redisPid(dir), await sqlPid(dir)];
      process.kill(first.keeperPid, 'SIGKILL');
      await until('the loss is reported', () => lost.length > 0);
      for (const pid of stranded) expect(await isOurs(pid, dir)).to.equal(true);

      const said: string[] = [];
      const second = await start({ dataDir: dir, log: (line) => said.push(line) });

      for (const pid of stranded) expect(await isOurs(pid, dir)).to.equal(false);
      expect(said.filter((line) => line.includes('left over'))).to.have.length(2);
      expect(await sql(second.databaseUrl, 'SELECT * FROM note')).to.deep.equal([]);
    }));

  it('never touch a stranger whose process ID stands in a stale file', () =>
    scenario(async (dir) => {
      const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
      holders.push(stranger);
      await mkdir(join(dir, 'redis'), { recursive: true });
      await writeFile(join(dir, 'redis/redis.pid'), `${stranger.pid}\n`);
      await writeFile(join(dir, 'keeper.json'), JSON.stringify({ pid: stranger.pid, stopping: false }));

      await start({ dataDir: dir, mariadb: false });

      expect(stranger.exitCode).to.equal(null);
      expect(stranger.signalCode).to.equal(null);
    }));

  it('belong to one instance at a time: the second gets one clear message', () =>
    scenario(async (dir) => {
      const first = await start({ dataDir: dir, mariadb: false });
      const refused = await startEmbedded({ dataDir: dir, mariadb: false, log: () => undefined }).catch(
        (error: unknown) => error,
      );
      expect(refused).to.be.instanceOf(StartFault);
      expect((refused as StartFault).message)
        .to.include(`process ${first.keeperPid}`)
        .and.include('SWORN_DATA_DIR');
      await setKey(first, 'still there');
      expect(await getKey(first)).to.equal('still there');
    }));

  it('are started again on the same port when one dies, and that is said, also in a folder with a long name', () =>
    scenario(
      async (dir) => {
        const said: string[] = [];
        const servers = await start({ dataDir: dir, log: (line) => said.push(line) });
        const before = await sqlPid(dir);
        process.kill(before, 'SIGKILL');
        await until('it answers again', () => said.includes('mariadb answers again'));
        expect(await sql(servers.databaseUrl, 'SELECT 1 AS one')).to.deep.equal([{ one: 1 }]);
        expect(await sqlPid(dir)).to.not.equal(before);
        expect(said[said.length - 2]).to.match(/^mariadb died \(SIGKILL\); starting it again \(1 of 5\)$/);
      },
      `a folder # with a name too long for a socket's ${'path '.repeat(14)}é`,
    ));

  it('say what the server said when it cannot start, and leave nothing running', () =>
    scenario(async (dir) => {
      const first = await start({ dataDir: dir, mariadb: false });
      await setKey(first, 'x');
      await first.stop();
      const manifest = join(dir, 'redis/appendonlydir/appendonly.aof.manifest');
      await writeFile(manifest, 'this is no manifest\n');
      const refused = await startEmbedded({ dataDir: dir, mariadb: false, log: () => undefined }).catch(
        (error: unknown) => error,
      );
      expect(refused).to.be.instanceOf(StartFault);
      expect((refused as StartFault).message)
        .to.include('this is no manifest')
        .and.include(join(dir, 'logs/redis.log'))
        .and.include('REDIS_URL');
      expect(existsSync(join(dir, 'redis/redis.pid')) && (await isOurs(await redisPid(dir), dir))).to.equal(
        false,
      );
      expect(existsSync(join(dir, 'keeper.json'))).to.equal(false);
    }));
});

async function sql(url: string | null, statement: string): Promise<RowDataPacket[]> {
  const connection = await createConnection(url ?? '');
  try {
    const [rows] = await connection.query<RowDataPacket[]>(statement);
    return rows;
  } finally {
    await connection.end();
  }
}

async function withRedis<T>(servers: EmbeddedServers, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(servers.redisUrl ?? '', { lazyConnect: true });
  try {
    await redis.connect();
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

const setKey = (servers: EmbeddedServers, value: string): Promise<unknown> =>
  withRedis(servers, (redis) => redis.set('note', value));
const getKey = (servers: EmbeddedServers): Promise<string | null> =>
  withRedis(servers, (redis) => redis.get('note'));

async function redisSettings(servers: EmbeddedServers): Promise<Record<string, string>> {
  return withRedis(servers, async (redis) => {
    const names = ['appendonly', 'appendfsync', 'maxmemory-policy', 'bind'];
    const pairs = await Promise.all(names.map((name) => redis.config('GET', name) as Promise<string[]>));
    return Object.fromEntries(pairs.map(([name = '', value = '']) => [name, value]));
  });
}

/** Whether each refuses a caller without the password. */
async function nobodyMayEnter(servers: EmbeddedServers): Promise<{ redis: boolean; root: boolean }> {
  const port = new URL(servers.redisUrl ?? '').port;
  const open = new Redis(Number(port), '127.0.0.1', { lazyConnect: true, enableReadyCheck: false });
  await open.connect();
  const redis = await open.get('note').then(
    () => false,
    (error: unknown) => (error as Error).message.startsWith('NOAUTH'),
  );
  open.disconnect();
  const root = await createConnection({
    host: '127.0.0.1',
    port: Number(new URL(servers.databaseUrl ?? '').port),
    user: 'root',
  }).then(
    (connection) => {
      connection.destroy();
      return false;
    },
    (error: unknown) =>
      (error as { errno?: number }).errno === 1045 || (error as { errno?: number }).errno === 1130,
  );
  return { redis, root };
}
