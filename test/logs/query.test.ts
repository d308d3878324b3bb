import { expect } from 'chai';
import fc from 'fast-check';
import { matchesQuery, parseQuery } from '../../src/shared/adapters/logs/query.js';

function matches(source: string, raw: string, name = 'app', message = raw): boolean {
  const parsed = parseQuery(source);
  if (!parsed.ok) throw new Error(parsed.message);
  return matchesQuery(parsed.query, { raw, name, nameIsService: () => true, message: () => message });
}

function refusal(source: string): string {
  const parsed = parseQuery(source);
  if (parsed.ok) expect.fail('parsed');
  return parsed.message;
}

const word = fc.stringMatching(/^[a-z0-9_.*+?()[\]{}|^$]{1,12}$/);

describe('EG-10 log_search: the query language', () => {
  it('wants every word, in any order and case, as a substring', () => {
    expect(matches('failed ROOT', 'Failed password for root')).to.equal(true);
    expect(matches('root fail', 'Failed password for root')).to.equal(true);
    expect(matches('failed admin', 'Failed password for root')).to.equal(false);
    expect(matches('ΟΔΟΣ straße', 'οδος STRAßE')).to.equal(true);
  });

  it('matches everything without a word', () => {
    expect(matches('', 'x')).to.equal(true);
    expect(matches('  \t ', 'x')).to.equal(true);
  });

  it('takes a phrase as it stands, quotes and backslashes escaped', () => {
    expect(matches('"password for"', 'Failed password for root')).to.equal(true);
    expect(matches('"for password"', 'Failed password for root')).to.equal(false);
    expect(matches('"say \\"hi\\""', 'they say "hi" now')).to.equal(true);
    expect(matches('"c:\\\\tmp"', 'open C:\\tmp')).to.equal(true);
    expect(refusal('"never closed')).to.contain('not closed');
  });

  it('excludes words, phrases and patterns', () => {
    expect(matches('error -timeout', 'error: timeout')).to.equal(false);
    expect(matches('error -timeout', 'error: refused')).to.equal(true);
    expect(matches('-"by peer"', 'reset by peer')).to.equal(false);
    expect(matches('-/re.et/', 'reset by peer')).to.equal(false);
    expect(matches('a - b', 'a - b')).to.equal(true);
    expect(matches('a - b', 'a b')).to.equal(false);
  });

  it('runs patterns with case, or without by i, and anchors them at the message too', () => {
    expect(matches('/conn(ection)? refused/', 'x conn refused')).to.equal(true);
    expect(matches('/CONN/', 'conn')).to.equal(false);
    expect(matches('/CONN/i', 'conn')).to.equal(true);
    expect(matches('/^conn/', '2026-01-01 conn', 'app', 'conn')).to.equal(true);
  });

  it('leaves a path a word', () => {
    expect(matches('/api/orders', 'GET /api/orders/7')).to.equal(true);
    expect(matches('/api/orders', 'GET /api/carts')).to.equal(false);
    expect(matches('/api error', 'error in /api')).to.equal(true);
  });

  it('names a pattern that is none', () => {
    for (const bad of ['/(a/', '/a(?=b)/', '/(a)\\1/', '/[z-a]/'])
      expect(refusal(`x ${bad}`)).to.contain(bad);
    expect(refusal('/((a{1,100}){1,9}){1,9}b/')).to.match(/too large|not a valid pattern/);
    for (const dear of ['/(a?){900}[c-z]/', '/([a-c]?[a-c]?){400}[x-z]/'])
      expect(refusal(dear), dear).to.match(/too large/);
  });

  it('says when an operator of other languages was searched as a word', () => {
    const parsed = parseQuery('timeout OR refused');
    expect(parsed.ok && parsed.query.remarks.join()).to.contain('/a|b/');
  });

  it('counts the name of the file where it is the service, and escaped text as it reads', () => {
    expect(matches('checkout slow', 'slow', 'checkout')).to.equal(true);
    expect(matches('-checkout slow', 'slow', 'checkout')).to.equal(false);
    expect(matches('"a "', '{"m":"a\\u0020b"}', 'app', 'a b')).to.equal(true);
  });

  it('property: any text finds itself as a phrase, and its exclusion excludes it', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' }),
        fc.string(),
        (text, around) => {
          const phrase = `"${text.replace(/[\\"]/g, '\\$&')}"`;
          expect(matches(phrase, `${around}${text}${around}`)).to.equal(true);
          expect(matches(`-${phrase}`, `${around}${text}${around}`)).to.equal(false);
        },
      ),
    );
  });

  it('property: words match exactly when each is a case-insensitive substring', () => {
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 4 }),
        fc.array(word, { maxLength: 6 }),
        (words, line) => {
          const raw = line.join(' ').toUpperCase();
          const expected = words.every((w) => raw.toLowerCase().includes(w));
          expect(matches(words.join(' '), raw, '')).to.equal(expected);
        },
      ),
    );
  });

  it('property: nothing that can be typed makes the parser throw', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), (source) => {
        const parsed = parseQuery(source);
        expect(parsed.ok ? parsed.query.terms.length >= 0 : parsed.message.length > 0).to.equal(true);
      }),
      { numRuns: 500 },
    );
  });
});
