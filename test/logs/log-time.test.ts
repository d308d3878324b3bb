import { expect } from 'chai';
import fc from 'fast-check';
import { TimeReader } from '../../src/shared/adapters/logs/log-time.js';
import { WallClock } from '../../src/shared/adapters/logs/time-zone.js';

function reader(zone = 'UTC', mtime = '2026-12-31T00:00:00Z'): TimeReader {
  return new TimeReader(new WallClock(zone), Date.parse(mtime));
}
const iso = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString();
const clock = { hour: 10, minute: 0, second: 0 };

describe('EG-10 log_search: times', () => {
  it('reads fields that hold a time', () => {
    const forms: [unknown, string][] = [
      ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
      ['2026-01-02 03:04:05,123', '2026-01-02T03:04:05.123Z'],
      ['2026-01-02T03:04:05.123456789+05:30', '2026-01-01T21:34:05.123Z'],
      ['2026-01-02 03:04:05 -0700', '2026-01-02T10:04:05.000Z'],
      ['2026-01-02 03:04:05.1+00', '2026-01-02T03:04:05.100Z'],
      [1767323045, '2026-01-02T03:04:05.000Z'],
      [1767323045.25, '2026-01-02T03:04:05.250Z'],
      [1767323045123, '2026-01-02T03:04:05.123Z'],
      ['1767323045123456', '2026-01-02T03:04:05.123Z'],
      ['1767323045123456789', '2026-01-02T03:04:05.123Z'],
      ['02/Jan/2026:03:04:05 +0100', '2026-01-02T02:04:05.000Z'],
      ['Fri, 02 Jan 2026 03:04:05 GMT', '2026-01-02T03:04:05.000Z'],
    ];
    for (const [value, expected] of forms)
      expect(iso(reader().field(value)), String(value)).to.equal(expected);
  });

  it('reads no time out of what is none', () => {
    for (const value of [
      '2026-02-30T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-01-02T25:00:00Z',
      '12',
      12,
      'now',
      null,
      '2026-01-02T03:04:05+19:00',
    ]) {
      expect(reader().field(value), String(value)).to.equal(undefined);
    }
  });

  it('reads a time without a zone in the configured one, over the changes of its clocks', () => {
    const berlin = reader('Europe/Berlin');
    expect(iso(berlin.field('2026-01-02 03:00:00'))).to.equal('2026-01-02T02:00:00.000Z');
    expect(iso(berlin.field('2026-07-02 03:00:00'))).to.equal('2026-07-02T01:00:00.000Z');
    // Set forward at 01:00 UTC: 02:30 never occurs. Set back at 01:00 UTC: 02:30 occurs twice, the first counts.
    expect(iso(berlin.field('2026-03-29 02:30:00'))).to.equal('2026-03-29T01:30:00.000Z');
    expect(iso(berlin.field('2026-10-25 02:30:00'))).to.equal('2026-10-25T00:30:00.000Z');
    expect(berlin.zoneAssumed).to.equal(true);
    const none = reader('Europe/Berlin');
    none.field('2026-01-02T03:00:00Z');
    expect(none.zoneAssumed).to.equal(false);
    expect(() => new WallClock('Mars/Olympus')).to.throw(RangeError);
  });

  it('gives a time without a year the newest one that is not after the modification time', () => {
    const at = reader('UTC', '2026-03-01T12:00:00Z');
    expect(iso(at.yearless({ month: 3, day: 1, ...clock }))).to.equal('2026-03-01T10:00:00.000Z');
    expect(iso(at.yearless({ month: 3, day: 1, ...clock, hour: 13 }))).to.equal('2025-03-01T13:00:00.000Z');
    expect(iso(at.yearless({ month: 12, day: 10, ...clock }))).to.equal('2025-12-10T10:00:00.000Z');
    expect(iso(at.yearless({ month: 2, day: 29, ...clock }))).to.equal('2024-02-29T10:00:00.000Z');
    expect([...at.yearsAssumed].sort()).to.deep.equal([2024, 2025, 2026]);
    // New Year's Eve in a zone ahead of UTC is still the old year there.
    const ahead = reader('Asia/Shanghai', '2025-12-31T17:00:00Z');
    expect(iso(ahead.yearless({ month: 1, day: 1, ...clock, hour: 0 }))).to.equal('2025-12-31T16:00:00.000Z');
  });

  it('property: a year is never newer than the modification time allows, nor older than it must be', () => {
    const span = { noInvalidDate: true, min: new Date('2001-01-01'), max: new Date('2090-01-01') };
    fc.assert(
      fc.property(fc.date(span), fc.date(span), (mtime, when) => {
        const parts = {
          month: when.getUTCMonth() + 1,
          day: when.getUTCDate(),
          hour: when.getUTCHours(),
          minute: when.getUTCMinutes(),
          second: when.getUTCSeconds(),
        };
        const subject = reader('UTC', mtime.toISOString());
        const at = subject.yearless(parts) ?? expect.fail('no year');
        expect(at).to.be.at.most(mtime.getTime());
        const leap = parts.month === 2 && parts.day === 29;
        if (!leap) {
          const next = new Date(at);
          next.setUTCFullYear(next.getUTCFullYear() + 1);
          expect(next.getTime()).to.be.above(mtime.getTime());
        }
        // What was remembered of the day answers the same.
        expect(subject.yearless(parts)).to.equal(at);
      }),
    );
  });

  it('property: wall time and back, in zones of every kind', () => {
    const zones = [
      'Asia/Shanghai',
      'America/New_York',
      'Asia/Kathmandu',
      'Australia/Lord_Howe',
      'Pacific/Apia',
    ];
    const span = { noInvalidDate: true, min: new Date('1990-01-01'), max: new Date('2035-01-01') };
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.date(span), (zone, instant) => {
        const shown = new Intl.DateTimeFormat('sv-SE', {
          timeZone: zone,
          dateStyle: 'short',
          timeStyle: 'medium',
        });
        const wall = shown.format(instant);
        const back = reader(zone).field(wall) ?? expect.fail(wall);
        expect(shown.format(back)).to.equal(wall);
        expect(back).to.be.at.most(instant.getTime());
      }),
    );
  });
});
