/** A file or an upload as a document: title, body, hash and chunks. Pure. */
import { createHash } from 'node:crypto';
import type { NewDocument } from '../../ports/knowledge-store.js';
import { chunkMarkdown } from './chunk-markdown.js';

const MAX_ID_CHARS = 64;
const MAX_TITLE_CHARS = 512;
const FRONT_MATTER = /^---[ \t]*\r?\n([\s\S]{0,10000}?)\r?\n---[ \t]*(?:\r?\n|$)/;
const TITLE_LINE = /^title[ \t]*[:=][ \t]*(.+?)[ \t]*$/m;
const FIRST_HEADING = /^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$/m;

/** Part of every hash: raised when chunks are cut differently, so that unchanged documents are cut anew. */
const CHUNKING = '1';

/** The text without its front matter, and the title that the front matter or the first heading gives. */
export function readMarkdown(text: string): { title: string | undefined; content: string } {
  const plain = text.replace(/^\ufeff/, '');
  const front = FRONT_MATTER.exec(plain);
  const content = (front ? plain.slice(front[0].length) : plain).replace(/^\s*\n/, '');
  const title =
    front?.[1] === undefined ? undefined : TITLE_LINE.exec(front[1])?.[1]?.replace(/^(["'])(.*)\1$/, '$2');
  const found = title ?? FIRST_HEADING.exec(content)?.[1];
  return { title: found?.slice(0, MAX_TITLE_CHARS), content };
}

/** `kubernetes/KubePodCrashLooping.md` → `kubernetes/KubePodCrashLooping`; one that does not fit gets a hash at its end. */
export function documentIdOf(path: string): string {
  const plain = path.replace(/\.(?:md|txt)$/i, '');
  const safe = plain.replace(/[^A-Za-z0-9._/-]/g, '-');
  if (safe === plain && safe.length <= MAX_ID_CHARS) return safe;
  const hash = createHash('sha256').update(plain).digest('hex').slice(0, 12);
  return `${safe.slice(0, MAX_ID_CHARS - hash.length - 1)}-${hash}`;
}

/** @param fields `now` is the time of creation, should the document be new. */
export function newDocument(fields: {
  documentId: string;
  title: string;
  source: string;
  content: string;
  now: Date;
  updatedAt: Date;
}): NewDocument {
  const { documentId, title, source, content, now, updatedAt } = fields;
  const contentHash = createHash('sha256')
    .update(JSON.stringify([CHUNKING, title, source, content]))
    .digest('hex');
  const chunks = chunkMarkdown(content);
  return { documentId, title, source, content, contentHash, createdAt: now, updatedAt, chunks };
}
