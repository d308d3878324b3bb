/**
 * The window that a log file spans, read by the same rules as the search: a time without a zone is UTC, one without a
 * year takes the newest year that does not put it after the file's modification time.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { LineReader } from '../../src/shared/adapters/logs/formats/line-reader.js';
import { LineSplitter } from '../../src/shared/adapters/logs/line-splitter.js';
import { TimeReader } from '../../src/shared/adapters/logs/log-time.js';
import { WallClock } from '../../src/shared/adapters/logs/time-zone.js';
import type { Window } from '../../src/shared/domain/contracts/window.js';
import { StartFault } from '../../src/shared/runtime/start-fault.js';

const MAX_LINE_BYTES = 64 * 1024;
const SECOND = 1000;

/** `to` lies one second after the last entry, because a window's end is exclusive. @throws {StartFault} */
export async function logSpan(path: string): Promise<Window> {
  const reader = new LineReader(new TimeReader(new WallClock('UTC'), (await stat(path)).mtimeMs));
  const splitter = new LineSplitter(MAX_LINE_BYTES);
  let first = Infinity;
  let last = -Infinity;
  const chunks: AsyncIterable<Buffer> = createReadStream(path);
  for await (const chunk of chunks) {
    for (const { text } of splitter.push(chunk)) {
      const at = reader.read(text)?.timeMs;
      if (at === undefined) continue;
      first = Math.min(first, at);
      last = Math.max(last, at);
    }
  }
  if (first > last) throw new StartFault(`No line with a time was found in ${path}.`);
  const to = Math.floor(last / SECOND) * SECOND + SECOND;
  return { from: new Date(first).toISOString(), to: new Date(to).toISOString() };
}
