/** The structure of the sources, held to its rules; each rule is shown a breach first, so that none passes by blindness. */
import { expect } from 'chai';
import { noImportCycle } from './cycle-rule.js';
import { nothingOpensOnImport } from './import-effects-rule.js';
import {
  adaptersApart,
  importDirection,
  importsResolve,
  nobodyImportsMain,
  portsAreTypes,
  workersApart,
} from './import-rules.js';
import { domainIsPure } from './purity-rule.js';
import { fileSize, functionSize, mainSize } from './size-rules.js';
import { readTree, repositoryRoot, treeOf, type Rule, type SourceTree } from './source-tree.js';
import { everyTestRuns } from './test-focus-rule.js';

type Files = Readonly<Record<string, string>>;

const SOURCES = ['src', 'migrations', 'demo', 'bench'];

/** @param breaches each a tree that breaks the rule in one place, with a part of the sentence expected. */
function heldTo(
  rule: Rule,
  tree: () => SourceTree,
  breaches: readonly [files: Files, says: string][],
  allowed: readonly Files[] = [],
): void {
  breaches.forEach(([files, says], index) => {
    it(`refuses: ${says} (${index + 1})`, () => {
      const found = rule(treeOf(files));
      expect(found, JSON.stringify(files)).to.have.length(1);
      expect(found[0]).to.contain(says);
    });
  });
  allowed.forEach((files, index) => {
    it(`lets pass what is right (${index + 1})`, () => {
      expect(rule(treeOf(files))).to.deep.equal([]);
    });
  });
  it('holds for the repository', function () {
    this.timeout(60_000);
    const found = rule(tree());
    expect(found, `\n${found.join('\n')}\n`).to.deep.equal([]);
  });
}

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, line) => `run(${line});`).join('\n');

describe('The structure of the sources', () => {
  let sources: SourceTree = [];
  let tests: SourceTree = [];

  before(function () {
    this.timeout(60_000);
    sources = readTree(repositoryRoot(), SOURCES);
    tests = readTree(repositoryRoot(), ['test']);
  });

  const source = (): SourceTree => sources;

  it('is read from disk', () => {
    const paths = sources.map(({ path }) => path);
    expect(paths).to.include('src/shared/ports/model-client.ts').and.include('src/workers/guard/main.ts');
    expect(paths.filter((path) => path.startsWith('src/shared/domain/'))).to.have.length.above(20);
    expect(tests.map(({ path }) => path)).to.include('test/architecture/structure.test.ts');
  });

  describe('IV-6 imports lead one way', () => {
    heldTo(
      importDirection,
      source,
      [
        [
          { 'src/shared/domain/a.ts': `import { join } from 'node:path';` },
          'imports node:path: the domain is pure',
        ],
        [{ 'src/shared/domain/a.ts': `import Redis from 'ioredis';` }, 'imports ioredis: the domain is pure'],
        [
          { 'src/shared/domain/a.ts': `export * from '../ports/clock.js';` },
          'src/shared/ports/clock.ts: the domain',
        ],
        [
          { 'src/shared/domain/a.ts': `type A = import('../adapters/x/y.js').Y;` },
          'src/shared/adapters/x/y.ts',
        ],
        [
          { 'src/shared/domain/a.ts': `const a = () => import('../runtime/env.js');` },
          'src/shared/runtime/env.ts',
        ],
        [{ 'src/shared/ports/a.ts': `import type { Redis } from 'ioredis';` }, 'a port is a contract'],
        [{ 'src/shared/ports/a.ts': `import type { X } from '../adapters/x/y.js';` }, 'a port is a contract'],
        [
          { 'src/shared/runtime/a.ts': `import { x } from '../adapters/mysql/x.js';` },
          'the runtime knows no',
        ],
        [{ 'src/shared/runtime/a.ts': `import { x } from '../../api/app.js';` }, 'the runtime knows no'],
        [
          { 'src/api/a.ts': `import { x } from '../workers/guard/release.js';` },
          'the API enqueues and relays',
        ],
        [{ 'src/workers/a.ts': `import { x } from '../api/app.js';` }, 'workers take jobs'],
        [{ 'src/workers/a.ts': `import { x } from '../cli/program.js';` }, 'workers take jobs'],
        [
          { 'src/offline-analyst/a.ts': `import { x } from '../shared/adapters/logs/x.js';` },
          'the offline analyst',
        ],
        [
          { 'src/shared/adapters/x/a.ts': `import { x } from '../../../fleet/fleet.js';` },
          'what is shared knows no',
        ],
        [
          { 'src/cli/a.ts': `import { x } from '../../test/support/servers.js';` },
          'the product imports no test',
        ],
        [
          { 'migrations/1-a.ts': `import { x } from '../src/shared/domain/run/budgets.js';` },
          'a migration never',
        ],
      ],
      [
        {
          'src/shared/domain/a.ts': `import { z } from 'zod'; import { b } from './b.js';`,
          'src/shared/ports/a.ts': `import type { B } from '../domain/b.js'; import type { C } from './c.js';`,
          'src/shared/adapters/mysql/a.ts': `import { DataSource } from 'typeorm'; import type { C } from '../../ports/c.js';`,
          'src/workers/guard/main.ts': `import { a } from '../../shared/adapters/mysql/a.js'; import '../open.js';`,
          'src/api/app.ts': `import Koa from 'koa'; import { readFile } from 'node:fs/promises';`,
        },
      ],
    );
  });

  describe('adapters know no other adapter', () => {
    heldTo(
      adaptersApart,
      source,
      [
        [
          { 'src/shared/adapters/mysql/a.ts': `import { r } from '../redis/r.js';` },
          'imports the adapter redis',
        ],
        [
          { 'src/shared/adapters/mysql/a.ts': `import type { R } from '../redis/r.js';` },
          'imports the adapter redis',
        ],
        [
          { 'src/shared/adapters/redis/a.ts': `import { w } from '../../../workers/w.js';` },
          'an adapter imports domain',
        ],
        [
          { 'src/shared/adapters/redis/a.ts': `import { m } from '../../../../migrations/1-m.js';` },
          'an adapter imports',
        ],
      ],
      [
        {
          'src/shared/adapters/logs/formats/a.ts': `import { l } from '../level.js'; import { e } from '../../../runtime/env.js';`,
          'src/shared/adapters/mysql/a.ts': `import { m } from '../../../../migrations/1-m.js';`,
        },
      ],
    );
  });

  describe('ports take only types from the domain', () => {
    heldTo(
      portsAreTypes,
      source,
      [
        [
          { 'src/shared/ports/a.ts': `import { Intent } from '../domain/contracts/verdict.js';` },
          'import type',
        ],
        [{ 'src/shared/ports/a.ts': `export * from '../domain/contracts/verdict.js';` }, 'import type'],
      ],
      [
        {
          'src/shared/ports/a.ts': `import { type Intent } from '../domain/v.js'; export type { B } from '../domain/b.js';`,
        },
      ],
    );
  });

  describe('the diagnosis and the guard worker know nothing of each other', () => {
    heldTo(
      workersApart,
      source,
      [
        [
          { 'src/workers/guard/a.ts': `import { d } from '../diagnosis/d.js';` },
          'move the shared part to src/workers',
        ],
        [
          { 'src/workers/diagnosis/a.ts': `import { g } from '../guard/g.js';` },
          'move the shared part to src/workers',
        ],
      ],
      [
        {
          'src/workers/guard/a.ts': `import { d } from '../model-call.js'; import { e } from './ending.js';`,
        },
      ],
    );
  });

  describe('nobody imports a main.ts', () => {
    heldTo(nobodyImportsMain, source, [
      [{ 'src/fleet/a.ts': `import { run } from './main.js';` }, 'a main.ts is an entry'],
      [{ 'demo/a.ts': `const main = () => import('../src/api/main.js');` }, 'a main.ts is an entry'],
    ]);
  });

  describe('every relative import names a source file', () => {
    heldTo(
      importsResolve,
      source,
      [
        [{ 'src/cli/a.ts': `import { b } from './b';` }, 'which is no source file'],
        [{ 'src/cli/a.ts': `import { b } from '../shared/none.js';` }, 'which is no source file'],
      ],
      [{ 'src/cli/a.ts': `import { b } from './b.js';`, 'src/cli/b.ts': '' }],
    );
  });

  describe('no import cycles', () => {
    heldTo(
      noImportCycle,
      source,
      [
        [
          { 'src/a.ts': `import './b.js';`, 'src/b.ts': `import './c.js';`, 'src/c.ts': `import './a.js';` },
          'src/a.ts → src/b.ts → src/c.ts → src/a.ts',
        ],
        [{ 'src/a.ts': `import './a.js';` }, 'src/a.ts → src/a.ts'],
        [
          {
            'src/a.ts': `import type { B } from './b.js';`,
            'src/b.ts': `export const b = () => import('./a.js');`,
          },
          'closes an import cycle',
        ],
      ],
      [
        {
          'src/a.ts': `import './b.js'; import './c.js';`,
          'src/b.ts': `import './d.js';`,
          'src/c.ts': `import './d.js';`,
          'src/d.ts': '',
        },
      ],
    );
  });

  describe('files have at most 300 lines', () => {
    heldTo(
      fileSize,
      () => [...sources, ...tests],
      [[{ 'src/a.ts': `${numbered(301)}\n` }, 'has 301 lines']],
      [{ 'src/a.ts': `${numbered(300)}\n` }],
    );
  });

  describe('functions have at most 50 lines', () => {
    heldTo(
      functionSize,
      source,
      [
        [{ 'src/a.ts': `function a() {\n${numbered(49)}\n}` }, 'a has 51 lines'],
        [{ 'src/a.ts': `export const b = () => {\n${numbered(60)}\n};` }, 'a function has 62 lines'],
        [{ 'src/a.ts': `class A { run() {\n${numbered(60)}\n} }` }, 'run has 62 lines'],
        [{ 'src/a.ts': `class A { constructor() {\n${numbered(60)}\n} }` }, 'has 62 lines'],
        [{ 'src/a.ts': `function a() {\nreturn \`${'x\n'.repeat(60)}\`;\n}` }, 'a has 63 lines'],
      ],
      [
        { 'src/a.ts': `function a() {\n${numbered(48)}\n}` },
        { 'src/a.ts': `function a() {\n${'\n// why\n/* and\nwhy */\n'.repeat(20)}${numbered(48)}\n}` },
      ],
    );
  });

  describe('a main.ts has at most 80 lines', () => {
    heldTo(
      mainSize,
      source,
      [[{ 'src/api/main.ts': numbered(81) }, 'an entry only wires']],
      [{ 'src/api/main.ts': numbered(80), 'src/api/domain.ts': numbered(81) }],
    );
  });

  describe('IV-6 the domain is pure', () => {
    const domain = (text: string): Files => ({ 'src/shared/domain/a.ts': text });
    heldTo(
      domainIsPure,
      source,
      [
        [domain('export async function a() {}'), 'is asynchronous'],
        [domain('export const at = () => Date.now();'), 'reads the clock'],
        [domain('export const at = () => new Date();'), 'reads the clock'],
        [domain('export const at = () => new Date;'), 'reads the clock'],
        [domain('export const at = () => Date();'), 'reads the clock'],
        [domain('export const r = () => Math.random();'), 'draws at random'],
        [domain(`export const e = () => process.env['X'];`), 'uses process'],
        [domain('export const id = () => crypto.randomUUID();'), 'uses crypto'],
        [domain('export const t = () => performance.now();'), 'uses performance'],
        [domain('export const g = () => globalThis.x;'), 'uses globalThis'],
        [domain('export const b = (s: string) => Buffer.byteLength(s);'), 'uses Buffer'],
        [domain('export type P = Promise<string>;'), 'uses Promise'],
        [domain('export const l = () => { console.log(1); };'), 'uses console'],
        [domain('export const s = (f: () => void) => setTimeout(f, 1);'), 'uses setTimeout'],
        [domain('export const o = () => ({ fetch });'), 'uses fetch'],
      ],
      [
        domain('export const at = (text: string) => new Date(text).getTime();'),
        domain('export const step = { process: 1, fetch: 2 }; export const n = step.process;'),
        { 'src/workers/a.ts': 'export const at = async () => Date.now();' },
      ],
    );
  });

  describe('nothing opens on import', () => {
    const file = (text: string): Files => ({ 'src/shared/adapters/redis/a.ts': text });
    heldTo(
      nothingOpensOnImport,
      source,
      [
        [file('export const redis = new Redis(url);'), 'makes a Redis'],
        [file('export const source = new typeorm.DataSource({});'), 'makes a DataSource'],
        [file('export const server = createServer(handle);'), 'calls createServer'],
        [file('const pool = mysql.createPool({});'), 'calls createPool'],
        [file('await start();'), 'waits while it is imported'],
        [file('for await (const line of lines) use(line);'), 'waits while it is imported'],
        [file('export const later = import("./b.js");'), 'loads a module'],
        [file('setInterval(() => {}, 1000);'), 'calls setInterval'],
        [file('process.on("SIGTERM", stop);'), 'listens on the process'],
        [file('class A { static readonly pool = new Pool(); }'), 'makes a Pool'],
        [file('class A { static { connect(); } }'), 'calls connect'],
        [file('(() => { connect(); })();'), 'calls connect'],
        [file('export const text = readFileSync(path, "utf8");'), 'calls readFileSync'],
        [file('if (on) { spawn("redis-server"); }'), 'calls spawn'],
      ],
      [
        file('export function open() { return new Redis(url); }'),
        file('export const open = async () => { await new Redis(url).connect(); };'),
        file('class A { private readonly pool = new Pool(); run() { setTimeout(f, 1); } }'),
        file('export const NAMES = new Set(["a"]); export const Row = z.strictObject({ a: z.string() });'),
        { 'src/api/main.ts': 'await run(() => createServer(handle));' },
      ],
    );
  });

  describe('every test runs', () => {
    const test = (text: string): Files => ({ 'test/a.test.ts': text });
    heldTo(
      everyTestRuns,
      () => tests,
      [
        [test('describe.only("a", () => {});'), 'describe.only'],
        [test('describe("a", () => { it.skip("b", () => {}); });'), 'it.skip'],
        [test('it("b", function () { this.skip(); });'), 'this.skip'],
        [test('xit("b", () => {});'), 'calls xit'],
      ],
      [test('it("a", () => { model.only("marker").next(); cursor.skip(3); });')],
    );
  });
});
