import { expect } from 'chai';
import fc from 'fast-check';
import { clip, clipLines, columnsOf, wrap } from '../../src/cli/render/layout.js';

const words = fc.array(fc.constantFrom('a', 'orders', '支払いが遅い', '👩‍👩‍👧', 'é', 'x'.repeat(50)), {
  maxLength: 30,
});

describe('SE-2 layout by columns', () => {
  it('counts wide characters as two columns and joined ones once', () => {
    expect(columnsOf('支払い')).to.equal(6);
    expect(columnsOf('👩‍👩‍👧')).to.equal(2);
    expect(columnsOf('e\u0301')).to.equal(1);
  });

  it('wraps at spaces, and inside a word only when it is wider than a line', () => {
    expect(wrap('one two three', 8)).to.deep.equal(['one two', 'three']);
    expect(wrap('ab cdefghijk', 4)).to.deep.equal(['ab', 'cdef', 'ghij', 'k']);
    expect(wrap('支払いが遅い', 5)).to.deep.equal(['支払', 'いが', '遅い']);
    expect(wrap('a\n\nb', 10)).to.deep.equal(['a', '', 'b']);
  });

  it('loses nothing and stays within the width', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 2, max: 40 }), (list, width) => {
        const lines = wrap(list.join(' '), width);
        for (const line of lines) expect(columnsOf(line)).to.be.at.most(width);
        expect(lines.join('')).to.equal(lines.join('').trim());
        expect(lines.join('').replaceAll(' ', '')).to.equal(list.join(''));
      }),
    );
  });

  it('clips to the width with a mark, and only where something is cut off', () => {
    expect(clip('abcdef', 6)).to.equal('abcdef');
    expect(clip('abcdefg', 6)).to.equal('abcde…');
    expect(clip('支払いが', 6)).to.equal('支払…');
    fc.assert(
      fc.property(words, fc.integer({ min: 2, max: 40 }), (list, width) => {
        const text = list.join(' ');
        expect(columnsOf(clip(text, width))).to.be.at.most(width);
        expect(clip(text, width) === text).to.equal(columnsOf(text) <= width);
      }),
    );
  });

  it('clips to lines, and says that there was more', () => {
    expect(clipLines('aa bb cc', 2, 3)).to.deep.equal(['aa', 'bb', 'cc']);
    expect(clipLines('aa bb cc dd', 5, 1)).to.deep.equal(['aa b…']);
    expect(clipLines('aa bb cc', 6, 1)).to.deep.equal(['aa bb…']);
    const long = clipLines('word '.repeat(100_000), 20, 2);
    expect(long).to.have.length(2);
    expect(long[1]?.endsWith('…')).to.equal(true);
  });
});
