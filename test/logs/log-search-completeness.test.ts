import { chmodSync, linkSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { LogFolder } from './log-folder.js';

const stamp = (i: number): string => new Date(Date.parse('2026-01-02T00:00:00Z') + i * 1000).toISOString();

/** As root every file can be read: the check is made as somebody else. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work();
  process.setegid?.(65_534);
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}

describe('IV-5 log_search: NO_EVIDENCE comes from a complete search alone', () => {
  let logs: LogFolder;
  beforeEach(() => {
    logs = new LogFolder();
  });
  afterEach(() => logs.remove());
  const many = (count: number, text: (i: number) => string): string =>
    Array.from({ length: count }, (_, i) => `${stamp(i)} ${text(i)}\n`).join('');

  it('IV-5 says NO_EVIDENCE for a complete search without a match', async () => {
    logs.write(
      'a.log',
      many(3, () => 'x'),
    );
    const result = await logs.found({ query: 'absent' });
    expect(result).to.deep.include({
      evidence_status: 'NO_EVIDENCE',
      matched: 0,
      truncated: false,
      entries: [],
    });
    expect((await logs.found({ query: 'absent', group_by: 'ip' })).groups).to.deep.equal([]);
  });

  it('IV-5 is UNAVAILABLE without the directory', async () => {
    logs.remove();
    const result = await logs.refused();
    expect(result.code).to.equal('UNAVAILABLE');
    expect(result.message).to.contain('ENOENT').and.not.contain(logs.dir);
  });

  it('IV-5 never says NO_EVIDENCE over a file or folder that cannot be read', async () => {
    chmodSync(logs.dir, 0o755);
    logs.write(
      'a.log',
      many(3, () => 'x'),
    );
    chmodSync(
      logs.write(
        'secret.log',
        many(3, () => 'y'),
      ),
      0o000,
    );
    chmodSync(join(logs.write('shut/b.log', 'z'), '..'), 0o000);
    const [none, some] = await asNobody(
      async () => [await logs.refused({ query: 'absent' }), await logs.found({ query: 'x' })] as const,
    );
    chmodSync(join(logs.dir, 'shut'), 0o755);
    expect(none.code).to.equal('UNAVAILABLE');
    expect(none.message).to.contain('secret.log (EACCES)').and.contain('shut/ (EACCES)');
    expect(some).to.deep.include({ matched: 3, truncated: true });
    expect(some.scope.assumptions.join()).to.contain('secret.log (EACCES)');
  });

  it('IV-5 takes broken, foreign and UTF-16 files for unread', async () => {
    logs.write(
      'a.log',
      many(3, () => 'x'),
    );
    for (const [name, content] of [
      ['cut.log.gz', gzipSync(many(500, (i) => `line ${String(i * 7919)}`)).subarray(0, 400)],
      ['old.log.xz', Buffer.from('xz')],
      ['win.log', Buffer.from('\ufeff2026-01-02 hello', 'utf16le')],
    ] as const) {
      const path = logs.write(name, content);
      expect((await logs.refused({ query: 'absent' })).message, name).to.contain(name);
      expect((await logs.found({ query: 'x' })).truncated, name).to.equal(true);
      chmodSync(path, 0o644);
      logs.write(name, '', new Date('2020-01-01T00:00:00Z'));
      expect((await logs.found({ query: 'absent' })).evidence_status, name).to.equal('NO_EVIDENCE');
    }
  });

  it('IV-5 cannot say nothing when what matches carries no time', async () => {
    logs.write(
      'a.log',
      many(3, () => 'x'),
    );
    logs.write('notes.txt', 'the needle\nis here\n');
    const none = await logs.refused({ query: 'needle' });
    expect(none.code).to.equal('FAILED');
    expect(none.message).to.contain('notes.txt:1');
    expect((await logs.found({ query: 'absent' })).evidence_status).to.equal('NO_EVIDENCE');
    expect((await logs.found({ query: 'needle', service: 'a' })).evidence_status).to.equal('NO_EVIDENCE');
    logs.write(
      'b.log',
      many(1, () => 'needle'),
    );
    expect(await logs.found({ query: 'needle' })).to.deep.include({ matched: 1, truncated: true });
  });

  it('leaves binary files out, and says so', async () => {
    logs.write('wtmp', Buffer.concat([Buffer.from('needle'), Buffer.alloc(300), Buffer.from('\nneedle\n')]));
    const result = await logs.found({ query: 'needle' });
    expect(result.evidence_status).to.equal('NO_EVIDENCE');
    expect(result.scope.assumptions.join()).to.contain('hold no text: wtmp');
  });

  it('follows no link, counts a file once, and keeps out of hidden files', async () => {
    const outside = new LogFolder();
    try {
      logs.write(
        'a.log',
        many(2, () => 'needle'),
      );
      logs.write(
        '.hidden.log',
        many(2, () => 'needle'),
      );
      symlinkSync(join(logs.dir, 'a.log'), join(logs.dir, 'current.log'));
      linkSync(join(logs.dir, 'a.log'), join(logs.dir, 'hard.log'));
      outside.write(
        'passwd.log',
        many(2, () => 'needle secret'),
      );
      symlinkSync(join(outside.dir, 'passwd.log'), join(logs.dir, 'passwd.log'));
      symlinkSync(outside.dir, join(logs.dir, 'more'));
      symlinkSync('..', join(logs.dir, 'up'));
      const result = await logs.found({ query: 'needle' });
      expect(result.matched).to.equal(2);
      expect(result.scope.assumptions).to.include(
        'links that lead out of the log directory were not followed (3)',
      );
      expect((await logs.found({ query: 'secret' })).evidence_status).to.equal('NO_EVIDENCE');
    } finally {
      outside.remove();
    }
  });

  it('IV-5 never says NO_EVIDENCE past a bound on files, depth or bytes', async () => {
    for (let i = 0; i < 5; i += 1)
      logs.write(
        `f${String(i)}.log`,
        many(20, () => 'x'),
      );
    expect((await logs.refused({ query: 'absent' }, { bounds: { maxFiles: 3 } })).code).to.equal('TOO_LARGE');
    expect((await logs.refused({ query: 'absent' }, { bounds: { maxScanBytes: 100 } })).code).to.equal(
      'TOO_LARGE',
    );
    expect((await logs.found({ query: 'x' }, { bounds: { maxFiles: 3 } })).truncated).to.equal(true);
    mkdirSync(join(logs.dir, 'd1/d2/d3'), { recursive: true });
    const deep = await logs.refused({ query: 'absent' }, { bounds: { maxDepth: 2 } });
    expect(deep.message).to.contain('more than 2 deep');
    expect((await logs.found({ query: 'absent' })).evidence_status).to.equal('NO_EVIDENCE');
  });
});
