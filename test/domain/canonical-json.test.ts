import { expect } from 'chai';
import fc from 'fast-check';
import { canonicalJson } from '../../src/shared/domain/guards/canonical-json.js';
import { utf8ByteLength } from '../../src/shared/domain/guards/utf8-length.js';

/** The same value with the keys of every object in another order. */
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, reordered(item)]),
  );
}

describe('EG-8 canonical JSON', () => {
  it('sorts keys at every depth and keeps the order of lists', () => {
    expect(canonicalJson({ b: [{ d: 1, c: 2 }, 'x'], a: null, B: true })).to.equal(
      '{"B":true,"a":null,"b":[{"c":2,"d":1},"x"]}',
    );
  });

  it('has the same bytes whatever the order of keys, and says what JSON says', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(reordered(value))).to.equal(text);
        expect(JSON.parse(text)).to.deep.equal(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('tells values apart that differ', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (left, right) => {
        const same = canonicalJson(left) === canonicalJson(right);
        fc.pre(!same);
        expect(JSON.parse(canonicalJson(left))).not.to.deep.equal(JSON.parse(canonicalJson(right)));
      }),
    );
  });

  it('leaves keys without a value out', () => {
    expect(canonicalJson({ a: undefined, b: 1 })).to.equal('{"b":1}');
  });

  for (const [what, value] of [
    ['NaN', Number.NaN],
    ['an infinity', Number.POSITIVE_INFINITY],
    ['a Date', new Date(0)],
    ['a Map', new Map([['a', 1]])],
    ['a bigint', 1n],
    ['undefined', undefined],
    ['a Date deep down', { a: [new Date(0)] }],
  ] as const)
    it(`refuses ${what}, which JSON would turn into something else`, () => {
      expect(() => canonicalJson(value)).to.throw(TypeError);
    });
});

describe('SG-3 sizes are UTF-8 bytes', () => {
  it('as an encoder counts them, for any text, lone surrogates included', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('', '\ud800', '\udc00x', 'ä€💥'),
        (text, end) => {
          expect(utf8ByteLength(text + end)).to.equal(Buffer.byteLength(text + end));
        },
      ),
      { numRuns: 1000 },
    );
  });
});
