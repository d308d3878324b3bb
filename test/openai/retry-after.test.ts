import { expect } from 'chai';
import { retryAfterMs } from '../../src/shared/adapters/openai/retry-after.js';

const NOW = Date.parse('2025-06-01T12:00:00Z');
const after = (headers: Readonly<Record<string, string>>): number | null =>
  retryAfterMs((name) => headers[name] ?? null, NOW);

describe('RT-1 Retry-After', () => {
  it('is read in seconds', () => {
    expect(after({ 'retry-after': '3' })).to.equal(3000);
    expect(after({ 'retry-after': ' 0 ' })).to.equal(0);
    expect(after({ 'retry-after': '1.5' })).to.equal(1500);
  });

  it('is read as a date, of which the past means now', () => {
    expect(after({ 'retry-after': 'Sun, 01 Jun 2025 12:00:07 GMT' })).to.equal(7000);
    expect(after({ 'retry-after': 'Sun, 01 Jun 2025 11:59:00 GMT' })).to.equal(0);
  });

  it('is read in milliseconds where they are given', () => {
    expect(after({ 'retry-after-ms': '250', 'retry-after': '9' })).to.equal(250);
  });

  it('is bounded to ten minutes', () => {
    for (const text of ['601', '999999999999', 'Mon, 01 Jun 2026 12:00:00 GMT'])
      expect(after({ 'retry-after': text }), text).to.equal(600_000);
  });

  it('is unknown when it is missing or no time', () => {
    expect(after({})).to.equal(null);
    for (const text of ['', 'soon', '-5', '1e9', 'NaN', 'Infinity', '2025-06-01', 'Xyz, nonsense'])
      expect(after({ 'retry-after': text }), text).to.equal(null);
  });
});
