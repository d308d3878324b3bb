/**
 * One `text/event-stream` response, written raw: Koa's body stream would fail on every disconnect. A reader that leaves
 * more than {@link MAX_UNSENT_BYTES} unsent, or takes nothing for {@link DRAIN_MS}, is dropped; it resumes by its cursor.
 */
import type { ServerResponse } from 'node:http';

export const MAX_UNSENT_BYTES = 1024 * 1024;
const DRAIN_MS = 30_000;
/** After an orderly end: a reader that does not take the rest by then is cut off. */
const LINGER_MS = 2000;

export const SSE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
};

export class SseConnection {
  #opened = false;
  #ended = false;
  #linger: NodeJS.Timeout | undefined;

  /** @param closed aborted when the response is over, for whatever reason. */
  constructor(
    private readonly response: ServerResponse,
    readonly closed: AbortSignal,
  ) {
    closed.addEventListener('abort', () => clearTimeout(this.#linger), { once: true });
  }

  isOpen(): boolean {
    return !this.#ended && !this.closed.aborted;
  }

  get unsentBytes(): number {
    return this.response.writableLength;
  }

  /** Sends the head; `X-Request-Id` and the like are set on the response already. */
  open(): void {
    if (this.#opened || !this.isOpen()) return;
    this.#opened = true;
    this.response.socket?.setTimeout(0);
    this.response.writeHead(200, { ...SSE_HEADERS });
    this.response.flushHeaders();
  }

  write(text: string): void {
    if (!this.#opened || !this.isOpen()) return;
    // What lies unsent already is the reader's slowness; the size of this very frame is not.
    if (this.unsentBytes > MAX_UNSENT_BYTES) {
      this.drop();
      return;
    }
    this.response.write(text);
  }

  /** Resolves when the reader has taken what was written, or is gone. */
  async drained(): Promise<void> {
    if (!this.isOpen() || !this.response.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const settle = (): void => {
        clearTimeout(deadline);
        this.response.off('drain', settle);
        this.closed.removeEventListener('abort', settle);
        resolve();
      };
      const deadline = setTimeout(() => {
        this.drop();
        settle();
      }, DRAIN_MS);
      this.response.once('drain', settle);
      this.closed.addEventListener('abort', settle, { once: true });
    });
  }

  /** Ends the stream in order. */
  end(): void {
    if (!this.isOpen()) return;
    this.#ended = true;
    this.response.end();
    this.#linger = setTimeout(() => this.response.destroy(), LINGER_MS);
  }

  /** Cuts the connection. */
  drop(): void {
    this.#ended = true;
    this.response.destroy();
  }
}
