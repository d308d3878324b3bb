import { readdirSync, readlinkSync, realpathSync, truncateSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { UnreadableFile } from '../../src/shared/adapters/logs/fault-code.js';
import { openLogFile } from '../../src/shared/adapters/logs/file-chunks.js';
import { Pacer } from '../../src/shared/adapters/logs/pacer.js';
import { LogFolder } from './log-folder.js';

const stamp = (i: number): string => new Date(Date.parse('2026-01-02T00:00:00Z') + i * 1000).toISOString();

describe('CA-1 log_search: cancellation and timeout', () => {
  let logs: LogFolder;
  beforeEach(() => {
    logs = new LogFolder();
  });
  afterEach(() => logs.remove());
  const many = (count: number, text: (i: number) => string): string =>
    Array.from({ length: count }, (_, i) => `${stamp(i)} ${text(i)}\n`).join('');

  for (const [name, content] of [
    ['big.log', (text: string) => Buffer.from(text)],
    ['big.log.gz', (text: string) => gzipSync(text)],
  ] as const) {
    it(`CA-1 BU-1 stops in the middle of ${name}, lets others work meanwhile, and leaves nothing open`, async () => {
      logs.write(name, content(many(100_000, (i) => `request ${String(i)} took 12 ms`)));
      const open = (): number => {
        if (process.platform !== 'linux') return 0;
        return readdirSync('/proc/self/fd').filter((fd) => {
          try {
            return readlinkSync(`/proc/self/fd/${fd}`).startsWith(logs.dir);
          } catch {
            return false;
          }
        }).length;
      };
      for (const [reason, code] of [
        [undefined, 'CANCELLED'],
        [new DOMException('over', 'TimeoutError'), 'TIMEOUT'],
      ] as const) {
        const controller = new AbortController();
        let turns = 0;
        const spin = (): void => {
          turns += 1;
          const inTheMiddle = process.platform === 'linux' ? open() > 0 : turns === 12;
          if (inTheMiddle) controller.abort(reason);
          else if (turns < 100_000) next = setImmediate(spin);
        };
        let next = setImmediate(spin);
        const result = await logs.refused({ query: 'absent' }, { signal: controller.signal });
        clearImmediate(next);
        expect(result.code).to.equal(code);
        expect(result.scope?.assumptions).to.deep.equal([]);
        expect(open()).to.equal(0);
      }
      const controller = new AbortController();
      let turns = 0;
      let running = true;
      const count = (): void => {
        turns += 1;
        if (running) setImmediate(count);
      };
      setImmediate(count);
      expect((await logs.found({ query: 'absent' }, { signal: controller.signal })).matched).to.equal(0);
      running = false;
      expect(open()).to.equal(0);
      expect(turns).to.be.above(20);
    });
  }

  it('a long computation gives way to others, and stops when told', async () => {
    const controller = new AbortController();
    const pacer = new Pacer(controller.signal);
    for (let others = 0; others < 3;) {
      setImmediate(() => (others += 1));
      const before = others;
      while (!pacer.due()) Math.sqrt(before);
      await pacer.rest();
      expect(others).to.equal(before + 1);
      expect(pacer.due()).to.equal(false);
    }
    controller.abort(new DOMException('over', 'TimeoutError'));
    const outcome = await pacer.rest().then(
      () => 'went on',
      (reason: unknown) => reason,
    );
    expect(outcome).to.equal(controller.signal.reason);
  });

  it('a file that shrinks while it is read is not read', async () => {
    const path = logs.write(
      'a.log',
      many(100, () => 'x'),
    );
    const file = { path, name: 'a.log', base: 'a', mtimeMs: 0, size: 0 };
    const { signal } = new AbortController();
    const opened = await openLogFile(file, realpathSync(logs.dir), Buffer.alloc(64), signal);
    const chunks = opened.chunks();
    expect((await chunks.next()).value).to.have.length(64);
    truncateSync(path, 10);
    const outcome = await chunks.next().then(
      () => 'went on',
      (error: unknown) => error,
    );
    await opened.close();
    expect(outcome).to.be.instanceOf(UnreadableFile);
  });

  it('CA-1 answers at once to a signal that is already aborted', async () => {
    logs.write(
      'a.log',
      many(1, () => 'x'),
    );
    expect((await logs.refused({}, { signal: AbortSignal.abort() })).code).to.equal('CANCELLED');
  });
});
