/** The shape of the sources: sizes, a pure domain, nothing that opens on import, tests that all run. */
import { heldTo, sources, tests, type Files } from './held-to.js';
import { nothingOpensOnImport } from './import-effects-rule.js';
import { domainIsPure } from './purity-rule.js';
import { fileSize, functionSize, mainSize } from './size-rules.js';
import { everyTestRuns } from './test-focus-rule.js';

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, line) => `run(${line});`).join('\n');

describe('The structure of the sources', () => {
  describe('files have at most 300 lines', () => {
    heldTo(
      fileSize,
      () => [...sources(), ...tests()],
      [[{ 'src/a.ts': `${numbered(301)}\n` }, 'has 301 lines']],
      [{ 'src/a.ts': `${numbered(300)}\n` }],
    );
  });

  describe('functions have at most 50 lines', () => {
    heldTo(
      functionSize,
      sources,
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
      sources,
      [[{ 'src/api/main.ts': numbered(81) }, 'an entry only wires']],
      [{ 'src/api/main.ts': numbered(80), 'src/api/domain.ts': numbered(81) }],
    );
  });

  describe('IV-6 the domain is pure', () => {
    const domain = (text: string): Files => ({ 'src/shared/domain/a.ts': text });
    heldTo(
      domainIsPure,
      sources,
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
      sources,
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
      tests,
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
