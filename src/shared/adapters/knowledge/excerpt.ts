/** The part of a document that answers best: consecutive chunks, so that it is the document's exact text. Pure. */
import type { KnowledgeChunk } from '../../ports/knowledge-store.js';

const ACTION_ASKED =
  /\b(?:do|fix|resolve|mitigat\w*|remed\w*|solve|handle|action|steps?|recover\w*|respond|repair|stop|clear)\b/i;
const ACTION_HEADING = /mitigat|remed|resol|action|fix|recover|solution|steps|what to do|response|处理|解决/i;
/** How much a section on what to do gains when that is asked, as a share of the best chunk's score. */
const ACTION_BONUS = 0.5;

function bytes(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/**
 * @param scores one for each chunk. @param maxBytes UTF-8 bytes; the best chunk is cut to it if need be.
 * @returns text that is not empty, unless all of the document is blank.
 */
export function bestExcerpt(
  chunks: readonly KnowledgeChunk[],
  scores: readonly number[],
  query: string,
  maxBytes: number,
): string {
  const top = Math.max(0, ...scores);
  const asked = ACTION_ASKED.test(query);
  const worth = chunks.map((chunk, i) => {
    const action = asked && ACTION_HEADING.test(chunk.headings.at(-1) ?? '');
    return (scores[i] ?? 0) + (action ? top * ACTION_BONUS : 0);
  });
  let from = worth.indexOf(Math.max(...worth));
  let to = from;
  let size = bytes(chunks[from]?.text ?? '');
  for (;;) {
    const before = growth(chunks, worth, from - 1, maxBytes - size);
    const after = growth(chunks, worth, to + 1, maxBytes - size);
    if (before === undefined && after === undefined) break;
    if (after === undefined || (before !== undefined && before.worth > after.worth)) from--;
    else to++;
    size = bytes(
      chunks
        .slice(from, to + 1)
        .map((chunk) => chunk.text)
        .join(''),
    );
  }
  const text = chunks.slice(from, to + 1).map((chunk) => chunk.text);
  return cutBytes(text.join('').trim(), maxBytes);
}

function growth(chunks: readonly KnowledgeChunk[], worth: readonly number[], at: number, room: number) {
  const chunk = chunks[at];
  return chunk !== undefined && bytes(chunk.text) <= room ? { worth: worth[at] ?? 0 } : undefined;
}

/** At most `maxBytes` of UTF-8, cut at the last paragraph, line or word that fits. */
export function cutBytes(text: string, maxBytes: number): string {
  if (bytes(text) <= maxBytes) return text;
  const buffer = Buffer.from(text, 'utf8');
  let end = maxBytes;
  // Bytes 10xxxxxx continue a character.
  while (end > 0 && ((buffer[end] ?? 0) & 0xc0) === 0x80) end--;
  const whole = buffer.subarray(0, end).toString('utf8');
  for (const boundary of ['\n\n', '\n', ' ']) {
    const at = whole.lastIndexOf(boundary);
    if (at > whole.length / 2) return whole.slice(0, at).trimEnd();
  }
  return whole;
}
