/** Runs a search over the files of a directory, one after the other, in bounded memory. */
import type { LogSearchBounds } from './bounds.js';
import { EntryAssembler } from './entry-assembler.js';
import { faultCode } from './fault-code.js';
import { openLogFile, type OpenLogFile } from './file-chunks.js';
import type { FileList, LogFile } from './file-list.js';
import { LineReader } from './formats/line-reader.js';
import { LineSplitter } from './line-splitter.js';
import { TimeReader } from './log-time.js';
import { Pacer } from './pacer.js';
import { ScanState } from './scan-state.js';
import type { SearchRequest } from './search-request.js';
import type { WallClock } from './time-zone.js';

/** A time read in a wrong zone can lie past its file's modification time by so much. */
const ZONE_SLACK_MS = 26 * 3_600_000;
/** Modification times before this one are made up (reproducible archives set them to the epoch). */
const PLAUSIBLE_MTIME_MS = Date.UTC(1990, 0, 1);
const LINES_BETWEEN_LOOKS = 32;
const LONG_LINE = 2048;
const MAX_NOTES = 50;

export interface ScanOutcome {
  state: ScanState;
  /** Files that could not be read to their end: `name (reason)`. */
  gaps: string[];
  /** Bounds that ended the search early. */
  limits: string[];
  zoneAssumed: boolean;
  /** Files with times that name no year, and the years given to them. */
  yearless: { name: string; years: number[] }[];
  /** Files without a time in them that hold binary data. */
  notText: string[];
}

function isOver(file: LogFile, request: SearchRequest): boolean {
  return file.mtimeMs >= PLAUSIBLE_MTIME_MS && file.mtimeMs < request.fromMs - ZONE_SLACK_MS;
}

export class FileScan {
  readonly #outcome: ScanOutcome;
  readonly #buffer: Buffer;
  readonly #pacer: Pacer;
  #bytes = 0;

  constructor(
    private readonly request: SearchRequest,
    private readonly bounds: LogSearchBounds,
    private readonly wall: WallClock,
    private readonly signal: AbortSignal,
  ) {
    const state = new ScanState(request, bounds);
    this.#outcome = { state, gaps: [], limits: [], zoneAssumed: false, yearless: [], notText: [] };
    this.#buffer = Buffer.allocUnsafe(bounds.chunkBytes);
    this.#pacer = new Pacer(signal);
  }

  /** @throws the signal's reason once it is aborted. */
  async run(list: FileList): Promise<ScanOutcome> {
    const outcome = this.#outcome;
    outcome.gaps.push(...list.gaps);
    outcome.limits.push(...list.limits);
    for (const file of list.files) {
      this.signal.throwIfAborted();
      if (this.#bytes > this.bounds.maxScanBytes) break;
      outcome.state.beginFile(file);
      if (!isOver(file, this.request)) await this.#file(file, list.root);
    }
    return outcome;
  }

  async #file(file: LogFile, root: string): Promise<void> {
    try {
      const opened = await openLogFile(file, root, this.#buffer, this.signal);
      try {
        await this.#read(file, opened);
      } finally {
        await opened.close();
      }
    } catch (error) {
      this.signal.throwIfAborted();
      if (this.#outcome.gaps.length < MAX_NOTES)
        this.#outcome.gaps.push(`${file.name} (${faultCode(error)})`);
    }
  }

  async #read(file: LogFile, opened: OpenLogFile): Promise<void> {
    const { state } = this.#outcome;
    const undatedBefore = state.undated.length;
    const time = new TimeReader(this.wall, opened.mtimeMs);
    const splitter = new LineSplitter(this.bounds.maxLineBytes);
    const assembler = new EntryAssembler(new LineReader(time), this.bounds, (entry) =>
      state.judge(entry, file),
    );
    try {
      await this.#lines(opened, splitter, assembler);
    } finally {
      // What a fault cut short is judged as far as it was read; the fault itself makes the search incomplete.
      assembler.end();
      this.#note(file, time);
    }
    if (splitter.sawNul && !assembler.dated) {
      state.undated.length = undatedBefore;
      if (this.#outcome.notText.length < MAX_NOTES) this.#outcome.notText.push(file.name);
    }
  }

  async #lines(opened: OpenLogFile, splitter: LineSplitter, assembler: EntryAssembler): Promise<void> {
    for await (const chunk of opened.chunks()) {
      this.#bytes += chunk.length;
      if (this.#bytes > this.bounds.maxScanBytes) {
        this.#outcome.limits.push(`more than ${String(this.bounds.maxScanBytes)} bytes of log`);
        return;
      }
      let lines = 0;
      for (const line of splitter.push(chunk)) {
        assembler.push(line);
        lines += 1;
        // A long line alone can take a pattern longer than a turn.
        const look = lines % LINES_BETWEEN_LOOKS === 0 || line.text.length > LONG_LINE;
        if (look && this.#pacer.due()) await this.#pacer.rest();
      }
      if (this.#pacer.due()) await this.#pacer.rest();
    }
    for (const line of splitter.end()) assembler.push(line);
  }

  #note(file: LogFile, time: TimeReader): void {
    const { yearless } = this.#outcome;
    if (time.zoneAssumed) this.#outcome.zoneAssumed = true;
    if (time.yearsAssumed.size > 0 && yearless.length < MAX_NOTES) {
      yearless.push({ name: file.name, years: [...time.yearsAssumed].sort((a, b) => a - b) });
    }
  }
}
