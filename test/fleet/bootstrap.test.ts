import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { projectRoot } from '../../src/fleet/project-root.js';
import { script, type Machine, type ServerName } from './support/bootstrap-scripts.js';
import { tempDirs } from './support/temp-dir.js';

describe('FL-7 set-up inside the commands', function () {
  this.timeout(30_000);
  const tempDir = tempDirs();

  async function programs(texts: Record<string, string>): Promise<string> {
    const dir = await tempDir();
    for (const [name, text] of Object.entries(texts)) {
      await writeFile(join(dir, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    }
    return dir;
  }
  const REDIS = "echo 'Redis server v=7.0.15 sha=0:0 bits=64'";
  const MARIADB = "echo 'mariadbd  Ver 10.11.6-MariaDB for Linux'";
  const hidden = (dir: string): NodeJS.ProcessEnv => ({ PATH: dir, SWORN_SERVER_DIRS: '' });

  it('refuses an old Node with the version that is needed', async () => {
    const { nodeFault } = await script('node-version.mjs');
    expect(['20.19.0', '20.20.2', '22.0.0'].map(nodeFault)).to.deep.equal([null, null, null]);
    expect(nodeFault('20.18.9')).to.include('20.19').and.include('20.18.9');
    expect(nodeFault('18.20.0')).to.include('nodejs.org');
  });

  it('installs packages when node_modules is absent or of another lock, whatever the times of the files are', async () => {
    const { dependenciesCurrent, lockHash } = await script('dependencies.mjs');
    const root = await tempDir();
    const lock = (version: string): string =>
      JSON.stringify({
        packages: {
          '': {},
          'node_modules/a': { version },
          'node_modules/b': { version: '2', optional: true },
        },
      });
    await writeFile(join(root, 'package-lock.json'), lock('1'));
    expect(dependenciesCurrent(root)).to.equal(false);
    await mkdir(join(root, 'node_modules'));
    expect(dependenciesCurrent(root)).to.equal(false);

    const note = join(root, 'node_modules/.package-lock.json');
    await writeFile(note, JSON.stringify({ packages: { 'node_modules/a': { version: '1' } } }));
    await utimes(note, new Date(0), new Date(0));
    expect(dependenciesCurrent(root)).to.equal(true);
    expect((await readFile(join(root, 'node_modules/.sworn-lock'), 'utf8')).trim()).to.equal(lockHash(root));
    await rm(note);
    expect(dependenciesCurrent(root)).to.equal(true);

    await writeFile(join(root, 'package-lock.json'), lock('1.1'));
    expect(dependenciesCurrent(root)).to.equal(false);
    await writeFile(note, JSON.stringify({ packages: { 'node_modules/a': { version: '1' } } }));
    expect(dependenciesCurrent(root)).to.equal(false);
  });

  it('builds again only when a source has changed, and drops what was built from deleted ones', async () => {
    const { sourceHash, prune } = await script('build.mjs');
    const root = await tempDir();
    for (const folder of ['src/a', 'test', 'dist/src/a'])
      await mkdir(join(root, folder), { recursive: true });
    await writeFile(join(root, 'src/a/x.ts'), '1');
    const [app, all] = [sourceHash(root, 'app'), sourceHash(root, 'all')];
    await utimes(join(root, 'src/a/x.ts'), new Date(0), new Date(0));
    expect(sourceHash(root, 'app')).to.equal(app);
    await writeFile(join(root, 'test/y.test.ts'), '1');
    expect(sourceHash(root, 'app')).to.equal(app);
    expect(sourceHash(root, 'all')).to.not.equal(all);
    await writeFile(join(root, 'src/a/x.ts'), '2');
    expect(sourceHash(root, 'app')).to.not.equal(app);

    for (const name of ['x.js', 'x.js.map', 'gone.js', 'gone.js.map', 'data.json']) {
      await writeFile(join(root, 'dist/src/a', name), '');
    }
    prune(join(root, 'dist/src'), join(root, 'src'));
    expect((await readdir(join(root, 'dist/src/a'))).sort()).to.deep.equal(['data.json', 'x.js', 'x.js.map']);
  });

  it('finds servers on PATH and in further folders, and says which are too old or cannot be used', async () => {
    const { findServers } = await script('find-servers.mjs');
    const look = (env: NodeJS.ProcessEnv): ReturnType<typeof findServers> =>
      findServers(env, ['redis', 'mariadb']);
    const nothing = await programs({});
    expect(await look(hidden(nothing))).to.deep.equal({ missing: ['redis', 'mariadb'], notes: [] });

    const tools = { 'mariadb-install-db': '', my_print_defaults: '' };
    const both = await programs({ 'redis-server': REDIS, mariadbd: MARIADB, ...tools });
    expect((await look(hidden(both))).missing).to.deep.equal([]);
    expect((await look({ PATH: nothing, SWORN_SERVER_DIRS: both })).missing).to.deep.equal([]);
    const others = await programs({
      'valkey-server': "echo 'Valkey server v=8.0.1 sha=0'",
      mysqld: "echo '/usr/sbin/mysqld  Ver 8.0.36 for Linux on x86_64'",
    });
    expect((await look(hidden(others))).missing).to.deep.equal([]);

    const old = await programs({
      'redis-server': "echo 'Redis server v=6.2.6'",
      mariadbd: "echo 'Ver 10.6.12-MariaDB'",
      ...tools,
    });
    const found = await look(hidden(old));
    expect(found.missing).to.deep.equal(['redis', 'mariadb']);
    expect(found.notes[0]).to.include('6.2').and.include('≥ 7');
    expect(found.notes[1]).to.include('10.6').and.include('≥ 10.11');
    const bare = await look(hidden(await programs({ 'redis-server': REDIS, mariadbd: MARIADB })));
    expect(bare.missing).to.deep.equal(['mariadb']);
    expect(bare.notes[0]).to.include('mariadb-install-db');
    const broken = await look(hidden(await programs({ 'redis-server': 'exit 127', mariadbd: 'exit 1' })));
    expect(broken.missing).to.deep.equal(['redis', 'mariadb']);
  });

  it('plans the installation by platform and rights', async () => {
    const { installPlan } = await script('install-plan.mjs');
    const linux: Machine = { platform: 'linux', aptGet: true, brew: false, rights: 'root' };
    const plan = installPlan(linux, ['redis', 'mariadb']);
    expect(plan).to.include({ kind: 'apt', sudo: false });
    expect(installPlan({ ...linux, rights: 'sudo' }, ['redis'])).to.include({ kind: 'apt', sudo: true });
    expect(installPlan({ ...linux, rights: 'none' }, ['redis'])).to.deep.equal({ kind: 'by-hand' });
    expect(installPlan({ ...linux, aptGet: false }, ['redis'])).to.deep.equal({ kind: 'by-hand' });
    const mac: Machine = { platform: 'darwin', aptGet: false, brew: true, rights: 'none' };
    expect(installPlan(mac, ['mariadb'])).to.deep.equal({ kind: 'brew', formulas: ['mariadb'] });
    expect(installPlan({ ...mac, brew: false }, ['mariadb'])).to.deep.equal({ kind: 'by-hand' });
  });

  it('installs with apt by name, starts and enables no service, and puts the policy back', async () => {
    const { aptScript } = await script('install-plan.mjs');
    const sbin = await tempDir();
    const policy = join(sbin, 'policy-rc.d');
    const state = await tempDir();
    const bin = await programs({
      'apt-get': `echo "$*" >>${state}/calls
        case "$*" in
          *"-s "*mariadb-server-core*) exit 100 ;;
          "install -q -y"*) ${policy}; echo "policy says $?" >>${state}/calls; touch ${state}/redis-server.service; [ ! -e ${state}/fail ] ;;
        esac`,
      systemctl: `case "$1" in
          is-enabled) [ -e "${state}/$3" ] ;;
          disable) rm "${state}/$3"; echo "disabled $3" >>${state}/calls ;;
        esac`,
    });
    const run = (missing: ServerName[]): number | null =>
      spawnSync('/bin/sh', ['-c', aptScript(missing, sbin)], { env: { PATH: `${bin}:/usr/bin:/bin` } })
        .status;
    const calls = async (): Promise<string[]> =>
      (await readFile(join(state, 'calls'), 'utf8')).trim().split('\n');

    expect(run(['redis', 'mariadb'])).to.equal(0);
    expect(existsSync(policy)).to.equal(false);
    const [update, ...rest] = await calls();
    expect(update).to.equal('update -q');
    expect(rest.filter((line) => !line.includes('-s -q'))).to.deep.equal([
      'install -q -y --no-install-recommends redis-server mysql-server-core-8.0',
      'policy says 101',
      'disabled redis-server.service',
    ]);

    await writeFile(policy, '#!/bin/sh\nexit 104\n', { mode: 0o755 });
    await writeFile(join(state, 'redis-server.service'), '');
    await writeFile(join(state, 'fail'), '');
    await rm(join(state, 'calls'));
    expect(run(['redis'])).to.not.equal(0);
    expect(await readFile(policy, 'utf8')).to.equal('#!/bin/sh\nexit 104\n');
    expect(await calls())
      .to.include('policy says 101')
      .and.not.include('disabled redis-server.service');
  });

  it('says how to install by hand on each platform and where the Docker Compose file is', async () => {
    const { ensureServers } = await script('install-servers.mjs');
    const env = {
      ...hidden(await programs({ 'redis-server': "echo 'Redis server v=5.0.0'" })),
      SWORN_NO_INSTALL: '1',
    };
    const fault = await ensureServers(await tempDir(), env, ['redis', 'mariadb']).catch(
      (error: unknown) => error,
    );
    expect((fault as Error).name).to.equal('Fault');
    expect((fault as Error).message)
      .to.include(
        'apt-get install --no-install-recommends redis-server mariadb-server-core mariadb-client-core',
      )
      .and.include('dnf install valkey mariadb-server')
      .and.include('pacman -S valkey mariadb')
      .and.include('brew install redis mariadb')
      .and.include('docker compose -f deploy/compose.yaml up -d')
      .and.include('REDIS_URL=')
      .and.include('DATABASE_URL=')
      .and.include('is 5.0; Redis ≥ 7');
    expect(existsSync(join(projectRoot(), 'deploy/compose.yaml'))).to.equal(true);
  });

  it('needs no server that the environment or .env names, save for tests', async () => {
    const { neededServers } = await script('commands.mjs');
    const root = await tempDir();
    const start = { ownServers: false };
    const redis = { REDIS_URL: 'redis://x' };
    const database = { DATABASE_URL_FILE: '/run/x' };
    expect(neededServers(root, {}, start)).to.deep.equal(['redis', 'mariadb']);
    expect(neededServers(root, { ...redis, ...database }, start)).to.deep.equal([]);
    expect(neededServers(root, { ...redis, DATABASE_URL: '' }, start)).to.deep.equal(['mariadb']);
    expect(neededServers(root, { ...redis, ...database }, { ownServers: true })).to.deep.equal([
      'redis',
      'mariadb',
    ]);
    await writeFile(join(root, '.env'), 'REDIS_URL=redis://y\n');
    expect(neededServers(root, {}, start)).to.deep.equal(['mariadb']);
    expect(neededServers(root, { NODE_ENV: 'production' }, start)).to.deep.equal(['redis', 'mariadb']);
  });

  it('sets up one at a time, and takes over a lock whose owner is gone', async () => {
    const { withSetupLock } = await script('setup-lock.mjs');
    const root = await tempDir();
    const lock = join(root, '.sworn/setup.lock');
    await mkdir(join(root, '.sworn'));
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    await writeFile(lock, `${dead}\n`);
    const order: string[] = [];
    const work = (name: string) => async (): Promise<void> => {
      order.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 50));
      order.push(`${name} ends`);
    };
    await Promise.all(['a', 'b', 'c'].map((name) => withSetupLock(root, work(name), 'mocha')));
    expect(order).to.have.length(6);
    for (let i = 0; i < 6; i += 2) expect(order[i]?.replace('begins', 'ends')).to.equal(order[i + 1]);
    expect(await readdir(join(root, '.sworn'))).to.deep.equal([]);
  });
});
