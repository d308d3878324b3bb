import { expect } from 'chai';
import type { LogSearchArgs } from '../../src/shared/domain/contracts/tools/log-search.js';
import { LogFolder } from './log-folder.js';

const stamp = (i: number): string => new Date(Date.parse('2026-01-02T00:00:00Z') + i * 1000).toISOString();

describe('log_search: arguments, selection, groups and sizes', () => {
  let logs: LogFolder;
  beforeEach(() => {
    logs = new LogFolder();
  });
  afterEach(() => logs.remove());
  const many = (count: number, text: (i: number) => string): string =>
    Array.from({ length: count }, (_, i) => `${stamp(i)} ${text(i)}\n`).join('');

  it('IV-2 refuses arguments that do not fit, and names the way out', async () => {
    const cases: [Partial<LogSearchArgs>, RegExp][] = [
      [{ from: '2026-01-02T00:00:00Z', to: '2026-01-02T00:00:00Z' }, /must be before/],
      [{ from: '2026-01-03T00:00:00Z', to: '2026-01-02T00:00:00Z' }, /must be before/],
      [{ from: '2024-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }, /366 days; search it in parts/],
      [{ level: 'loud' }, /"loud" is not known; use one of TRACE, DEBUG/],
      [{ query: '/(/' }, /\/\(\/ is not a valid pattern/],
      [{ query: '"open' }, /not closed/],
    ];
    for (const [args, message] of cases) {
      const result = await logs.refused(args);
      expect(result.code).to.equal('INVALID_ARGUMENTS');
      expect(result.message).to.match(message);
    }
    expect((await logs.found({ from: '2025-12-31T00:00:00Z', to: '2027-01-01T00:00:00Z' })).matched).to.equal(
      0,
    );
  });

  it('clamps the limit and says so; matched counts all', async () => {
    logs.write(
      'a.log',
      many(150, () => 'x'),
    );
    const high = await logs.found({ limit: 500 });
    expect(high).to.deep.include({ matched: 150, truncated: true });
    expect(high.entries).to.have.length(100);
    expect(high.scope.limit).to.equal(100);
    expect(high.scope.assumptions).to.include('limit 500 was clamped to 100');
    const low = await logs.found({ limit: -3 });
    expect(low.entries).to.have.length(1);
    expect(low.scope.assumptions).to.include('limit -3 was clamped to 1');
  });

  it('shows the most severe, the earliest and the latest of many, the same each time, and says so', async () => {
    logs.write(
      'a.log',
      many(1_000, (i) => (i === 511 ? 'FATAL rare' : i % 100 === 50 ? 'ERROR e' : 'INFO i')),
    );
    const first = await logs.found({ limit: 20 });
    const levels = first.entries.map((e) => e.level);
    expect(levels.filter((l) => l === 'FATAL')).to.have.length(1);
    expect(levels.filter((l) => l === 'ERROR')).to.have.length(9);
    const lines = first.entries.map((e) => Number(e.source.split(':')[1]));
    expect(lines).to.deep.equal([...lines].sort((a, b) => a - b));
    expect(lines.slice(0, 5)).to.deep.equal([1, 2, 3, 4, 5]);
    expect(lines.slice(-5)).to.deep.equal([996, 997, 998, 999, 1000]);
    expect(first.scope.assumptions.join()).to.contain('20 of 1000 matches: half for the most severe');
    expect(await logs.found({ limit: 20 })).to.deep.equal(first);
    expect((await logs.found({ limit: 1 })).entries[0]?.level).to.equal('FATAL');
  });

  it('groups all matches, the largest first, then by key', async () => {
    logs.write(
      'a.log',
      many(90, (i) => `from 10.0.0.${String(i % 30)} port ${String(i)}`) + many(3, () => 'from ::1 x'),
    );
    const ips = await logs.found({ group_by: 'ip' });
    expect(ips.groups).to.have.length(20);
    expect(ips.groups?.slice(0, 3)).to.deep.equal(
      ['10.0.0.0', '10.0.0.1', '10.0.0.10'].map((key) => ({ key, count: 3 })),
    );
    expect(ips.truncated).to.equal(true);
    expect(ips.scope.assumptions).to.include('20 of 31 groups are shown, the largest');
    const templates = await logs.found({ group_by: 'template' });
    expect(templates.groups).to.deep.equal([
      { key: 'from <ip> port <num>', count: 90 },
      { key: 'from <ip> x', count: 3 },
    ]);
    expect((await logs.found({ group_by: 'level' })).groups).to.deep.equal([{ key: 'INFO', count: 93 }]);
    const ports = await logs.found({ group_by: 'field:port' });
    expect(ports.groups).to.deep.equal([]);
    expect(ports.scope.assumptions).to.include('93 matches have no field:port and are in no group');
  });

  it('groups by status, path, service and fields', async () => {
    const access = (path: string, status: number) =>
      `9.9.9.9 - - [02/Jan/2026:03:04:05 +0000] "GET ${path} HTTP/1.1" ${String(status)} 1\n`;
    logs.write('web.log', access('/a?x=1', 200) + access('/a?x=2', 500) + access('/b', 200));
    const groups = async (group_by: string) => (await logs.found({ group_by })).groups;
    expect(await groups('status')).to.deep.equal([
      { key: '200', count: 2 },
      { key: '500', count: 1 },
    ]);
    expect(await groups('path')).to.deep.equal([
      { key: '/a', count: 2 },
      { key: '/b', count: 1 },
    ]);
    expect(await groups('service')).to.deep.equal([{ key: 'web', count: 3 }]);
    expect(await groups('ip')).to.deep.equal([{ key: '9.9.9.9', count: 3 }]);
    logs.write('api.log', '{"time":"2026-01-02T03:04:05Z","msg":"m","http":{"route":"/c"}}\n');
    expect(await groups('field:http.route')).to.deep.equal([{ key: '/c', count: 1 }]);
  });

  it('counts no new groups beyond its bound, and says so', async () => {
    logs.write('a.log', many(60, (i) => `id=${String(i)}`) + many(5, () => 'id=0'));
    const result = await logs.found({ group_by: 'field:id' }, { bounds: { maxGroupKeys: 10 } });
    expect(result.groups?.[0]).to.deep.equal({ key: '0', count: 6 });
    expect(result.truncated).to.equal(true);
    expect(result.scope.assumptions).to.include(
      'more than 10 groups: 50 matches of later ones are not counted',
    );
  });

  it('IV-3 fits into the bytes it may take, on record boundaries', async () => {
    logs.write(
      'a.log',
      many(80, (i) => `${i === 40 ? 'ERROR' : 'INFO'} é漢😀 ${'z'.repeat(i * 20)}`),
    );
    for (const maxResultBytes of [1_200, 2_000, 4_000, 16_384]) {
      const result = await logs.found({ group_by: 'level', limit: 100 }, { maxResultBytes });
      expect(result).to.deep.include({ matched: 80, truncated: true });
      expect(result.entries.map((e) => e.level)).to.include('ERROR');
      expect(result.scope.assumptions.join()).to.contain('more do not fit');
    }
    expect((await logs.refused({}, { maxResultBytes: 200 })).code).to.equal('TOO_LARGE');
  });
});
