/** Puts the `.md` and `.txt` files of a folder into the knowledge base; unchanged ones are left alone. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../ports/clock.js';
import type { KnowledgeStore } from '../../ports/knowledge-store.js';
import { documentIdOf, newDocument, readMarkdown } from './new-document.js';

const MAX_FILES = 5000;
const MAX_DEPTH = 16;
const MAX_FILE_BYTES = 4 * 1024 * 1024;
const KNOWN_PAGE = 500;

export interface Import {
  /** IDs of the documents that were added or replaced. */
  stored: string[];
  unchanged: string[];
  /** Relative paths of files that are empty, too large or not UTF-8. */
  skipped: string[];
}

/** Relative paths with `/`, sorted. Links are not followed, hidden files not taken. */
async function textFiles(dir: string, under = '', depth = 0): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(join(dir, under), { withFileTypes: true })) {
    if (entry.name.startsWith('.')) continue;
    const path = under === '' ? entry.name : `${under}/${entry.name}`;
    if (entry.isDirectory() && depth < MAX_DEPTH) found.push(...(await textFiles(dir, path, depth + 1)));
    else if (entry.isFile() && /\.(?:md|txt)$/i.test(entry.name)) found.push(path);
    if (found.length > MAX_FILES) throw new RangeError(`more than ${String(MAX_FILES)} documents in ${dir}`);
  }
  return found.sort();
}

async function knownHashes(store: KnowledgeStore): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  let after: string | undefined;
  for (;;) {
    const page = await store.list({ limit: KNOWN_PAGE, ...(after === undefined ? {} : { after }) });
    for (const head of page) hashes.set(head.documentId, head.contentHash);
    after = page.at(-1)?.documentId;
    if (page.length < KNOWN_PAGE) return hashes;
  }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * @param dir the folder; a document's source is its path within, its time the file's modification time. Documents of files
 * that are gone stay.
 * @throws the file system's error when the folder cannot be read, {@link RangeError} when it holds too many files.
 */
export async function importDirectory(store: KnowledgeStore, dir: string, clock: Clock): Promise<Import> {
  const result: Import = { stored: [], unchanged: [], skipped: [] };
  const hashes = await knownHashes(store);
  for (const source of await textFiles(dir)) {
    const path = join(dir, source);
    const { mtime, size } = await stat(path);
    const text = size > MAX_FILE_BYTES ? undefined : decode(await readFile(path));
    const { title, content } = readMarkdown(text ?? '');
    if (content.trim() === '') {
      result.skipped.push(source);
      continue;
    }
    const documentId = documentIdOf(source);
    const document = newDocument({
      documentId,
      title: title ?? documentId,
      source,
      content,
      now: clock.now(),
      updatedAt: mtime,
    });
    if (hashes.get(documentId) === document.contentHash) result.unchanged.push(documentId);
    else {
      await store.put(document);
      result.stored.push(documentId);
    }
  }
  return result;
}
