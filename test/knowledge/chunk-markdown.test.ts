import { expect } from 'chai';
import fc from 'fast-check';
import { chunkMarkdown, MAX_CHUNK_BYTES } from '../../src/shared/adapters/knowledge/chunk-markdown.js';
import { bestExcerpt, cutBytes } from '../../src/shared/adapters/knowledge/excerpt.js';
import { documentIdOf, newDocument, readMarkdown } from '../../src/shared/adapters/knowledge/new-document.js';

const bytes = (text: string) => Buffer.byteLength(text, 'utf8');
const markdown = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '# A\n',
        '## B b\n',
        '\n',
        '\n\n',
        '```\n',
        '~~~~\n',
        '# not closed ``` \n',
        '- item\r\n',
        '\t',
        '###### deep ##\n',
      ),
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.integer({ min: 1, max: 3000 }).map((n) => 'wörd '.repeat(n)),
      fc.integer({ min: 1, max: 3000 }).map((n) => '字'.repeat(n)),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(''));

describe('EG-10 rag_lookup: chunks', () => {
  it('are the text, byte for byte, none over the limit', () => {
    fc.assert(
      fc.property(markdown, (text) => {
        const chunks = chunkMarkdown(text);
        expect(chunks.map((chunk) => chunk.text).join('')).to.equal(text);
        for (const chunk of chunks) expect(bytes(chunk.text)).to.be.within(1, MAX_CHUNK_BYTES);
      }),
    );
  });

  it('begin at headings and know those above them', () => {
    const body = `${'word '.repeat(20)}\n\n`;
    const chunks = chunkMarkdown(
      `# Top\n\n## One\n\n${body}## Two ##\n${body}### Deep\n${body}# Next\n${body}`,
    );
    expect(chunks.map((chunk) => chunk.headings)).to.deep.equal([
      ['Top', 'One'],
      ['Top', 'Two'],
      ['Top', 'Two', 'Deep'],
      ['Next'],
    ]);
    expect(chunks[0]?.text).to.match(/^# Top\n\n## One\n\nword/);
  });

  it('take no heading from a fenced block', () => {
    const chunks = chunkMarkdown('# Run\n\n```sh\n# a comment\n\necho\n```\n\n## After\ntext\n');
    expect(chunks.map((chunk) => chunk.headings)).to.deep.equal([['Run'], ['Run', 'After']]);
  });

  it('break long sections between paragraphs', () => {
    const paragraph = (mark: string) => `${mark}${' filler'.repeat(100)}\n\n`;
    const chunks = chunkMarkdown(`## Long\n\n${paragraph('one')}${paragraph('two')}`);
    expect(chunks.map((chunk) => chunk.text.slice(0, 3))).to.deep.equal(['## ', 'two']);
    expect(chunks[1]?.headings).to.deep.equal(['Long']);
  });
});

describe('EG-10 rag_lookup: excerpts', () => {
  it('are exact text of the document around the best chunk, within their bytes', () => {
    fc.assert(
      fc.property(
        markdown,
        fc.array(fc.nat(9), { maxLength: 40 }),
        fc.integer({ min: 64, max: 2000 }),
        (text, some, max) => {
          const chunks = chunkMarkdown(text);
          const scores = chunks.map((_, i) => some[i] ?? 0);
          const excerpt = bestExcerpt(chunks, scores, 'what to do', max);
          expect(text).to.contain(excerpt);
          expect(bytes(excerpt)).to.be.at.most(max);
          if (text.trim() === '') expect(excerpt).to.equal('');
        },
      ),
    );
  });

  it('prefer the section on what to do when that is asked', () => {
    const filler = `${'noise '.repeat(120)}\n`;
    const chunks = chunkMarkdown(`## Meaning\n${filler}## Mitigation\n${filler}`);
    expect(bestExcerpt(chunks, [3, 2], 'What should I do about noise?', 900)).to.match(/^## Mitigation/);
    expect(bestExcerpt(chunks, [3, 2], 'meaning of noise', 900)).to.match(/^## Meaning/);
  });

  it('are cut at a paragraph, line or word, never inside a character', () => {
    expect(cutBytes('aaaa aaaa\n\nbbbb bbbb', 15)).to.equal('aaaa aaaa');
    expect(cutBytes('aaaa bbbb cccc', 12)).to.equal('aaaa bbbb');
    expect(cutBytes('字字字', 8)).to.equal('字字');
    expect(cutBytes('🙂🙂', 7)).to.equal('🙂');
    expect(cutBytes('short', 5)).to.equal('short');
  });
});

describe('EG-10 rag_lookup: files as documents', () => {
  it('take the title from the front matter or the first heading, and leave the front matter out', () => {
    expect(readMarkdown('---\ntitle: "A: b"\nweight: 1\n---\n\n# H\n')).to.deep.equal({
      title: 'A: b',
      content: '# H\n',
    });
    expect(readMarkdown('\ufeffintro\n\n## Head ##\nx')).to.deep.equal({
      title: 'Head',
      content: 'intro\n\n## Head ##\nx',
    });
    expect(readMarkdown('plain text')).to.deep.equal({ title: undefined, content: 'plain text' });
    expect(readMarkdown('---\nno end\n# H').content).to.equal('---\nno end\n# H');
  });

  it('have stable IDs that fit the store', () => {
    expect(documentIdOf('kubernetes/KubePodCrashLooping.md')).to.equal('kubernetes/KubePodCrashLooping');
    const odd = documentIdOf('zh/缓存 雪崩.md');
    expect(odd)
      .to.match(/^[A-Za-z0-9._/-]{1,64}$/)
      .and.equal(documentIdOf('zh/缓存 雪崩.md'));
    expect(odd).to.not.equal(documentIdOf('zh/缓存 雪朋.md'));
    expect(documentIdOf(`${'deep/'.repeat(40)}a.md`)).to.have.length(64);
  });

  it('change their hash with any part of them, and not with the time', () => {
    const base = {
      documentId: 'a',
      title: 't',
      source: 's',
      content: 'c',
      now: new Date(0),
      updatedAt: new Date(0),
    };
    const { contentHash } = newDocument(base);
    expect(newDocument({ ...base, updatedAt: new Date(9) }).contentHash).to.equal(contentHash);
    for (const other of [{ title: 'u' }, { source: 'r' }, { content: 'd' }])
      expect(newDocument({ ...base, ...other }).contentHash).to.not.equal(contentHash);
  });
});
