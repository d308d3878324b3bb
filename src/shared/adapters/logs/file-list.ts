/**
 * The files of a log directory: regular files at bounded depth, in the order of their paths. Hidden ones are left out;
 * symbolic links are never followed: one that points to another file of the directory would count its lines twice, one
 * that points out of it would let the directory's owner be lied to.
 */
import { lstat, opendir, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { LogSearchBounds } from './bounds.js';
import { faultCode } from './fault-code.js';

export interface LogFile {
  path: string;
  /** Relative to the directory, with `/`. */
  name: string;
  /** The name of the last path segment before its first dot: the service of records that name none. */
  base: string;
  mtimeMs: number;
  size: number;
}

export interface FileList {
  root: string;
  files: LogFile[];
  /** What could not be listed, one phrase each. */
  gaps: string[];
  /** Bounds that were met: more is there than is listed. */
  limits: string[];
  /** Links that lead out of the directory. */
  outsideLinks: number;
}

/** `nova-api.log.1` → `nova-api`. */
export function baseName(name: string): string {
  const last = name.slice(name.lastIndexOf('/') + 1);
  const dot = last.indexOf('.');
  return dot > 0 ? last.slice(0, dot) : last;
}

async function leadsOutside(root: string, path: string): Promise<boolean> {
  try {
    const target = relative(root, await realpath(path));
    return target === '..' || target.startsWith(`..${sep}`);
  } catch {
    // A link to nothing hides nothing.
    return false;
  }
}

/** Enough to name some and to know that there are more. */
const MAX_NOTES = 50;

class Walk {
  readonly files: LogFile[] = [];
  readonly gaps: string[] = [];
  readonly limits: string[] = [];
  outsideLinks = 0;
  readonly #seen = new Set<string>();
  #entries = 0;

  constructor(
    private readonly root: string,
    private readonly bounds: LogSearchBounds,
    private readonly signal: AbortSignal,
  ) {}

  async folder(path: string, depth: number): Promise<void> {
    this.signal.throwIfAborted();
    const folders: string[] = [];
    for await (const entry of await opendir(path)) {
      this.signal.throwIfAborted();
      this.#entries += 1;
      // Entries that are no files cost time too.
      if (this.files.length >= this.bounds.maxFiles || this.#entries > this.bounds.maxFiles * 16) {
        this.#note(this.limits, `more than ${String(this.bounds.maxFiles)} files`);
        return;
      }
      if (entry.name.startsWith('.')) continue;
      const inner = join(path, entry.name);
      if (entry.isDirectory()) folders.push(inner);
      else if (entry.isFile()) await this.#file(inner);
      else if (entry.isSymbolicLink() && (await leadsOutside(this.root, inner))) this.outsideLinks += 1;
    }
    for (const inner of folders.sort()) await this.#inner(inner, depth + 1);
  }

  async #inner(path: string, depth: number): Promise<void> {
    if (depth > this.bounds.maxDepth) {
      this.#note(this.limits, `folders more than ${String(this.bounds.maxDepth)} deep`);
      return;
    }
    try {
      await this.folder(path, depth);
    } catch (error) {
      this.signal.throwIfAborted();
      this.#note(this.gaps, `${this.#nameOf(path)}/ (${faultCode(error)})`);
    }
  }

  async #file(path: string): Promise<void> {
    try {
      const stats = await lstat(path);
      if (!stats.isFile()) return;
      const identity = `${String(stats.dev)}:${String(stats.ino)}`;
      if (stats.nlink > 1 && this.#seen.has(identity)) return;
      if (stats.nlink > 1) this.#seen.add(identity);
      const name = this.#nameOf(path);
      this.files.push({ path, name, base: baseName(name), mtimeMs: stats.mtimeMs, size: stats.size });
    } catch (error) {
      this.#note(this.gaps, `${this.#nameOf(path)} (${faultCode(error)})`);
    }
  }

  #nameOf(path: string): string {
    return relative(this.root, path).split(sep).join('/');
  }

  #note(list: string[], text: string): void {
    if (list.length < MAX_NOTES && !list.includes(text)) list.push(text);
  }
}

/** @throws when the directory itself cannot be read, and the signal's reason once it is aborted. */
export async function listLogFiles(
  dir: string,
  bounds: LogSearchBounds,
  signal: AbortSignal,
): Promise<FileList> {
  const root = await realpath(dir);
  const walk = new Walk(root, bounds, signal);
  await walk.folder(root, 0);
  walk.files.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  return { root, files: walk.files, gaps: walk.gaps, limits: walk.limits, outsideLinks: walk.outsideLinks };
}
