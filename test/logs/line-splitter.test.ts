import { expect } from 'chai';
import fc from 'fast-check';
import { LineSplitter, type SplitLine } from '../../src/shared/adapters/logs/line-splitter.js';

function split(chunks: readonly Buffer[], maxLineBytes = 1_000): SplitLine[] {
  const splitter = new LineSplitter(maxLineBytes);
  const lines = chunks.flatMap((chunk) => [...splitter.push(chunk)]);
  return [...lines, ...splitter.end()];
}
const texts = (...chunks: (string | number[])[]): string[] =>
  split(chunks.map((c) => (typeof c === 'string' ? Buffer.from(c) : Buffer.from(c)))).map(
    (line) => line.text,
  );

describe('EG-10 log_search: lines', () => {
  it('takes away CR, a byte order mark, NUL bytes and terminal colours', () => {
    expect(texts('\ufeffa\r\nb\r\r\nc')).to.deep.equal(['a', 'b', 'c']);
    expect(texts('\0\0\0a\0b\n')).to.deep.equal(['ab']);
    expect(texts('\u001b[31mERROR\u001b[0m x\n')).to.deep.equal(['ERROR x']);
    expect(texts('a\n\nb\n')).to.deep.equal(['a', '', 'b']);
    expect(texts('')).to.deep.equal([]);
  });

  it('reads invalid UTF-8 and goes on', () => {
    expect(texts([0x61, 0xff, 0xc3, 0x0a, 0x62])).to.deep.equal(['a\ufffd\ufffd', 'b']);
  });

  it('hands a line beyond the bound on in parts, at whole characters, under one number', () => {
    const lines = split([Buffer.from(`x\n${'é'.repeat(25)}\ny\n`)], 16);
    expect(
      lines
        .filter((l) => l.number === 2)
        .map((l) => l.text)
        .join(''),
    ).to.equal('é'.repeat(25));
    expect(
      split([Buffer.from('é'.repeat(7)), Buffer.from('é'.repeat(7)), Buffer.from('\nz')], 9),
    ).to.deep.equal([
      { text: 'é'.repeat(7), number: 1, continued: false },
      { text: 'é'.repeat(7), number: 1, continued: true },
      { text: '', number: 1, continued: true },
      { text: 'z', number: 2, continued: false },
    ]);
  });

  it('property: where the chunks are cut does not matter', () => {
    const text = fc
      .array(fc.constantFrom('a', 'é', '漢', '😀', '\n', '\r\n', ' '), { maxLength: 60 })
      .map((a) => a.join(''));
    fc.assert(
      fc.property(text, fc.array(fc.nat(200), { maxLength: 6 }), (content, cuts) => {
        const bytes = Buffer.from(content);
        const at = [0, ...cuts.map((c) => Math.min(c, bytes.length)).sort((a, b) => a - b), bytes.length];
        const chunks = at.slice(1).map((to, i) => bytes.subarray(at[i], to));
        expect(split(chunks)).to.deep.equal(split([bytes]));
        const expected = content.replace(/\r+\n/g, '\n').replace(/\n$/, '').split('\n');
        expect(split([bytes]).map((l) => l.text)).to.deep.equal(content === '' ? [] : expected);
      }),
    );
  });
});
