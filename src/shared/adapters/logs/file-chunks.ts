/**
 * The bytes of one log file, in chunks, unpacked where it is gzip. Opens without following a link and without waiting
 * for a pipe's writer; reads no further than the size the file had when it was opened, so that a growing file ends.
 */
import { constants } from 'node:fs';
import { open, realpath, type FileHandle } from 'node:fs/promises';
import { sep } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { UnreadableFile } from './fault-code.js';
import type { LogFile } from './file-list.js';

const OTHER_PACKING = /\.(?:bz2|xz|zst|lz4|lzma|zip|7z|Z|journal)$/;
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export interface OpenLogFile {
  /** As of the opening. */
  mtimeMs: number;
  /** Each chunk is valid until the next is asked for. */
  chunks(): AsyncGenerator<Buffer, void, undefined>;
  close(): Promise<void>;
}

async function* plainChunks(handle: FileHandle, size: number, buffer: Buffer, signal: AbortSignal) {
  let position = 0;
  while (position < size) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, size - position), position);
    if (bytesRead === 0) throw new UnreadableFile('it shrank while it was read');
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function* gzipChunks(handle: FileHandle, size: number, chunkBytes: number, signal: AbortSignal) {
  if (size === 0) return;
  const source = handle.createReadStream({
    start: 0,
    end: size - 1,
    autoClose: false,
    highWaterMark: chunkBytes,
  });
  const gunzip = createGunzip({ chunkSize: chunkBytes });
  source.on('error', (error) => gunzip.destroy(error));
  addAbortSignal(signal, gunzip);
  try {
    for await (const chunk of source.pipe(gunzip)) yield chunk as Buffer;
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}

function refuseUtf16(first: Buffer): void {
  const mark = first.subarray(0, 2).toString('latin1');
  if (mark === '\xff\xfe' || mark === '\xfe\xff') throw new UnreadableFile('UTF-16 is not read');
}

async function* checked(chunks: AsyncGenerator<Buffer, void, undefined>) {
  let atStart = true;
  for await (const chunk of chunks) {
    if (atStart) refuseUtf16(chunk);
    atStart = false;
    yield chunk;
  }
}

/** @throws UnreadableFile, or the file system's fault. */
export async function openLogFile(
  file: LogFile,
  root: string,
  buffer: Buffer,
  signal: AbortSignal,
): Promise<OpenLogFile> {
  if (OTHER_PACKING.test(file.name)) throw new UnreadableFile('this packing is not read, only .gz is');
  const handle = await open(file.path, FLAGS);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new UnreadableFile('it is no regular file any more');
    // A folder on the way may have become a link since the directory was listed.
    if (!(await realpath(file.path)).startsWith(root.endsWith(sep) ? root : root + sep)) {
      throw new UnreadableFile('it lies outside of the log directory');
    }
    const raw = file.name.endsWith('.gz')
      ? () => gzipChunks(handle, stats.size, buffer.length, signal)
      : () => plainChunks(handle, stats.size, buffer, signal);
    return { mtimeMs: stats.mtimeMs, chunks: () => checked(raw()), close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}
