/**
 * Markdown cut into chunks: at headings, and long sections at paragraphs. The chunks are consecutive slices: joined they
 * are the text, byte for byte, so that any run of them is an exact excerpt. Pure, linear.
 */
import type { KnowledgeChunk } from '../../ports/knowledge-store.js';

/** UTF-8 bytes of a chunk at most. */
export const MAX_CHUNK_BYTES = 1200;
const MAX_HEADING_CHARS = 200;
const MAX_LEVELS = 6;
const ATX_HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

interface Block {
  text: string;
  /** Level and words of the heading that this block is. */
  heading?: { level: number; words: string };
}

function bytes(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** Lines with their line ends. */
function lines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

/** Headings, fenced blocks and paragraphs, each with the blank lines that follow it. */
function blocks(text: string): Block[] {
  const found: Block[] = [];
  let current = '';
  let fence: string | undefined;
  let blankSeen = false;
  const flush = () => {
    if (current !== '') found.push({ text: current });
    current = '';
  };
  for (const line of lines(text)) {
    const bare = line.replace(/\r?\n$/, '');
    const blank = bare.trim() === '';
    const mark = FENCE.exec(bare)?.[1];
    const heading = fence === undefined ? ATX_HEADING.exec(bare) : null;
    if (heading) {
      flush();
      const words = (heading[2] ?? '').slice(0, MAX_HEADING_CHARS);
      found.push({ text: line, heading: { level: heading[1]?.length ?? 1, words } });
    } else {
      if (blankSeen && !blank && fence === undefined) flush();
      const last = found.at(-1);
      // Blank lines right behind a heading belong to it.
      if (blank && current === '' && last) last.text += line;
      else current += line;
    }
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence) && bare.trim() === mark) fence = undefined;
    blankSeen = blank;
  }
  flush();
  return found;
}

/** A block over the limit, cut at line ends, and a line over it between characters. */
function pieces(text: string): string[] {
  if (bytes(text) <= MAX_CHUNK_BYTES) return [text];
  const cut: string[] = [];
  let current = '';
  let size = 0;
  const add = (part: string) => {
    const more = bytes(part);
    if (size + more > MAX_CHUNK_BYTES && current !== '') {
      cut.push(current);
      current = '';
      size = 0;
    }
    current += part;
    size += more;
  };
  for (const line of lines(text)) {
    if (bytes(line) <= MAX_CHUNK_BYTES) add(line);
    else for (const part of line.match(/\S*\s+|\S+/g) ?? []) for (const bit of shortBits(part)) add(bit);
  }
  cut.push(current);
  return cut;
}

function shortBits(part: string): string[] {
  return bytes(part) <= MAX_CHUNK_BYTES ? [part] : (part.match(/[\s\S]{1,300}/gu) ?? []);
}

export function chunkMarkdown(text: string): KnowledgeChunk[] {
  const chunks: { headings: string[]; text: string; hasBody: boolean }[] = [];
  const path: (string | undefined)[] = [];
  for (const block of blocks(text)) {
    const { heading } = block;
    if (heading) {
      path.length = Math.min(heading.level, MAX_LEVELS) - 1;
      path[heading.level - 1] = heading.words;
    }
    const headings = path.filter((words) => words !== undefined);
    for (const piece of pieces(block.text)) {
      const last = chunks.at(-1);
      const fits = last !== undefined && bytes(last.text) + bytes(piece) <= MAX_CHUNK_BYTES;
      // A heading begins a chunk, unless nothing but headings stands before it.
      if (fits && (!heading || !last.hasBody)) {
        last.text += piece;
        last.headings = headings;
        last.hasBody ||= !heading;
      } else chunks.push({ headings, text: piece, hasBody: !heading });
    }
  }
  return chunks.map(({ headings, text: slice }) => ({ headings, text: slice }));
}
