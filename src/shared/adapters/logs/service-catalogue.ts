/** The services of a log directory: names of files, and names that a sample of each file's lines gives. */
import type { Redact } from '../../ports/redactor.js';
import type { LogSearchBounds } from './bounds.js';
import { faultCode } from './fault-code.js';
import { openLogFile } from './file-chunks.js';
import { listLogFiles, type FileList, type LogFile } from './file-list.js';
import { LineReader } from './formats/line-reader.js';
import { LineSplitter } from './line-splitter.js';
import { TimeReader } from './log-time.js';
import { Pacer } from './pacer.js';
import { detach } from './text-safety.js';
import type { WallClock } from './time-zone.js';

const SAMPLE_BYTES = 32 * 1024;
const MAX_SAMPLED_FILES = 200;
const MAX_SERVICES = 200;
/** Names are shown before a Run is released: only what looks like a name is one. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.:/@-]{0,63}$/;

export class ServiceCatalogue {
  constructor(
    private readonly bounds: LogSearchBounds,
    private readonly wall: WallClock,
    private readonly redact: Redact,
  ) {}

  /** Sorted, at most 200. @throws when the directory cannot be read, and the signal's reason once it is aborted. */
  async list(dir: string, signal: AbortSignal): Promise<string[]> {
    const list = await listLogFiles(dir, this.bounds, signal);
    const found = new Set<string>();
    for (const file of list.files) this.#add(found, file.base);
    const newest = [...list.files].sort((a, b) => b.mtimeMs - a.mtimeMs).slice(0, MAX_SAMPLED_FILES);
    const pacer = new Pacer(signal);
    for (const file of newest) {
      signal.throwIfAborted();
      if (found.size >= MAX_SERVICES) break;
      await this.#sample(file, list, found, signal);
      if (pacer.due()) await pacer.rest();
    }
    return [...found].sort();
  }

  #add(found: Set<string>, name: string): void {
    if (found.size < MAX_SERVICES && NAME.test(name) && this.redact(name) === name) found.add(detach(name));
  }

  /** A file that cannot be read names nothing more; a search will say so. */
  async #sample(file: LogFile, list: FileList, found: Set<string>, signal: AbortSignal): Promise<void> {
    try {
      const opened = await openLogFile(file, list.root, Buffer.allocUnsafe(SAMPLE_BYTES), signal);
      try {
        const reader = new LineReader(new TimeReader(this.wall, opened.mtimeMs));
        const splitter = new LineSplitter(SAMPLE_BYTES);
        for await (const chunk of opened.chunks()) {
          for (const line of splitter.push(chunk)) {
            const service = reader.read(line.text)?.body().service;
            if (service !== undefined) this.#add(found, service);
          }
          break;
        }
      } finally {
        await opened.close();
      }
    } catch (error) {
      signal.throwIfAborted();
      if (faultCode(error) === 'unreadable') throw error;
    }
  }
}
