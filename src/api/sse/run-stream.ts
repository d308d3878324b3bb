/**
 * One Run's frames to one connection: each once, in order, from the cursor to `done`.
 *
 * Subscribe, await the acknowledgement, read the log from the cursor, drop what was seen, go live. Only one reading of
 * the log is under way at a time; a live frame that does not follow the last one sent is not sent itself but causes the
 * next reading, since the log holds all that the channel carries. Each heartbeat re-reads the Run, so a lost last frame
 * costs at most one heartbeat, and what the log lost is rebuilt from the row.
 */
import type { Frame } from '../../shared/domain/contracts/events.js';
import { StoreUnavailable } from '../../shared/ports/errors.js';
import type { EventReader, Subscription } from '../../shared/ports/event-log.js';
import type { Logger } from '../../shared/ports/logger.js';
import type { RunReader, RunRecord } from '../../shared/ports/run-intake.js';
import { HEARTBEAT_TEXT, RETRY_MS, frameText, retryText } from './frame-text.js';
import type { OpenStream } from './open-streams.js';
import {
  framesBetween,
  lastFrameCount,
  lastFrames,
  metadataFrame,
  type MetadataSource,
} from './rebuilt-frames.js';
import { MAX_UNSENT_BYTES, type SseConnection } from './sse-connection.js';

/** Heartbeats that a final Run is given to get its last frames published, before they are made from the row. */
const PATIENCE = 2;

export interface RunStreamDeps {
  events: EventReader;
  runs: Pick<RunReader, 'run'>;
  log: Logger;
  heartbeatMs: number;
}

export interface RunStreamStart {
  run: MetadataSource;
  connection: SseConnection;
  /** Asked at each heartbeat; false ends the stream. May reject with `StoreUnavailable`. */
  onHeartbeat: () => Promise<boolean>;
  /** Called once. `client`: the connection closed before the stream was over. */
  onClosed: (by: 'end' | 'server' | 'client') => void;
}

export class RunStream implements OpenStream {
  readonly closed: Promise<void>;
  #last = 0;
  #over: 'end' | 'server' | null = null;
  #live = false;
  #subscribing = false;
  #reading = false;
  #again = false;
  #stale = false;
  #beating = false;
  #newest: Frame | null = null;
  #behindBytes = 0;
  #finalBeats = 0;
  #subscription: Subscription | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly deps: RunStreamDeps,
    private readonly start: RunStreamStart,
  ) {
    const { closed } = start.connection;
    this.closed = new Promise((resolve) => {
      const settle = (): void => {
        this.#release();
        start.onClosed(this.#over ?? 'client');
        resolve();
      };
      if (closed.aborted) queueMicrotask(settle);
      else closed.addEventListener('abort', settle, { once: true });
    });
  }

  /** Before the head is sent: subscribes and clamps the cursor. @throws {StoreUnavailable} */
  async prepare(after: number, final: boolean): Promise<void> {
    await this.#subscribe();
    const { runId } = this.start.run;
    this.#last = after > 0 && !final ? Math.min(after, await this.deps.events.head(runId)) : after;
  }

  /** Sends the head, replays, goes live. Never rejects. */
  async begin(record: RunRecord): Promise<void> {
    this.#open();
    await this.#catchUp();
    if (isFinal(record)) await this.#settle(record);
  }

  /** A Run made just now: `metadata` goes out at once, whatever Redis does. Never rejects. */
  async beginNew(): Promise<void> {
    this.#open();
    this.#deliver(metadataFrame(this.start.run));
    await this.#guard(() => this.#subscribe());
    await this.#catchUp();
  }

  stop(): void {
    if (this.#over !== null) return;
    this.#over = 'server';
    this.start.connection.open();
    this.start.connection.write(retryText(RETRY_MS * (0.5 + Math.random() * 2)));
    this.start.connection.end();
  }

  /** The stream was not begun: its request is answered otherwise. */
  abandon(): void {
    this.#over ??= 'server';
  }

  #open(): void {
    this.start.connection.open();
    this.start.connection.write(retryText(RETRY_MS));
    this.#live = true;
    if (this.start.connection.isOpen())
      this.#timer = setInterval(() => void this.#beat(), this.deps.heartbeatMs);
  }

  #release(): void {
    clearInterval(this.#timer);
    this.#live = false;
    const subscription = this.#subscription;
    this.#subscription = null;
    if (subscription !== null) void this.#guard(() => subscription.close());
  }

  async #subscribe(): Promise<void> {
    if (this.#subscription !== null || this.#subscribing || !this.start.connection.isOpen()) return;
    this.#subscribing = true;
    try {
      const subscription = await this.deps.events.subscribe(
        this.start.run.runId,
        (frame) => this.#onFrame(frame),
        () => this.#onReset(),
      );
      if (this.start.connection.isOpen()) this.#subscription = subscription;
      else await subscription.close();
    } finally {
      this.#subscribing = false;
    }
  }

  #onFrame(frame: Frame): void {
    if (frame.seq <= this.#last || !this.start.connection.isOpen()) return;
    if (this.#live && !this.#reading && frame.seq === this.#last + 1) {
      this.#deliver(frame);
      return;
    }
    if (this.#newest === null || frame.seq > this.#newest.seq) this.#newest = frame;
    this.#behindBytes += frame.data.length;
    if (this.start.connection.unsentBytes + this.#behindBytes > MAX_UNSENT_BYTES)
      this.start.connection.drop();
    else if (this.#live) void this.#catchUp();
  }

  #onReset(): void {
    if (this.#live) void this.#catchUp();
  }

  /** Sends what the log has after the last frame sent. Never rejects; what could not be read stays `stale`. */
  async #catchUp(): Promise<void> {
    this.#again = true;
    if (this.#reading) return;
    this.#reading = true;
    this.#stale = !(await this.#guard(() => this.#readLog()));
    this.#reading = false;
  }

  async #readLog(): Promise<void> {
    while (this.#again && this.start.connection.isOpen()) {
      this.#again = false;
      this.#behindBytes = 0;
      const frames = await this.deps.events.read(this.start.run.runId, this.#last);
      for (const frame of frames) {
        this.#deliver(frame);
        await this.start.connection.drained();
      }
    }
    // A live frame that the log does not have any more.
    const newest = this.#newest;
    this.#newest = null;
    if (newest !== null) this.#deliver(newest);
  }

  #deliver(frame: Frame): void {
    if (frame.seq <= this.#last || this.#over !== null) return;
    const { run, connection } = this.start;
    for (const between of framesBetween(run, this.#last, frame.seq, run.createdAt))
      connection.write(frameText(between));
    connection.write(frameText(frame));
    this.#last = frame.seq;
    if (frame.event !== 'done') return;
    this.#over = 'end';
    connection.end();
  }

  async #beat(): Promise<void> {
    this.start.connection.write(HEARTBEAT_TEXT);
    if (this.#beating || this.#over !== null) return;
    this.#beating = true;
    await this.#guard(() => this.#check());
    this.#beating = false;
  }

  async #check(): Promise<void> {
    const goesOn = await this.start.onHeartbeat();
    const record = goesOn ? await this.deps.runs.run(this.start.run.runId) : null;
    if (record === null) {
      this.stop();
      return;
    }
    if (isFinal(record)) {
      await this.#catchUp();
      await this.#settle(record);
      return;
    }
    const missed = this.#stale || this.#subscription === null;
    await this.#subscribe();
    if (missed) await this.#catchUp();
  }

  /** After the log was read: the end of a final Run that the log does not have is made from the row. */
  async #settle(record: RunRecord): Promise<void> {
    if (this.#over !== null || this.#reading) return;
    this.#finalBeats += 1;
    if ((this.#stale || record.frameCount === null) && this.#finalBeats <= PATIENCE) return;
    const count = record.frameCount ?? this.#last + lastFrameCount(record.view);
    for (const frame of lastFrames(record.view, Math.max(count, this.#last + 1))) {
      this.#deliver(frame);
      await this.start.connection.drained();
    }
  }

  /** @returns false when a store was away or the work failed otherwise; the next heartbeat tries again. */
  async #guard(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      const { runId } = this.start.run;
      if (error instanceof StoreUnavailable)
        this.deps.log.debug({ runId, err: error }, 'a stream waits for a store');
      else this.deps.log.error({ runId, err: error }, 'a stream could not read its Run');
      return false;
    }
  }
}

function isFinal(record: RunRecord): boolean {
  return record.view.releaseOutcome !== null;
}
