/** The streams and waits that this process serves: a bound on their number, and their common end at shutdown. */

export interface OpenStream {
  /** Ends the stream for the server's own reasons. */
  stop(): void;
  /** Resolves when its connection is closed. */
  readonly closed: Promise<void>;
}

export class OpenStreams {
  readonly #streams = new Set<OpenStream>();
  readonly #closing = new AbortController();
  #places = 0;

  constructor(private readonly limit: number) {}

  /** Aborted when the process shuts down: waits end, and nothing new begins. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Takes a place; null when all are taken or the process shuts down. The returned function gives it back, once. */
  reserve(): (() => void) | null {
    if (this.closing.aborted || this.#places >= this.limit) return null;
    this.#places += 1;
    let held = true;
    return () => {
      if (held) this.#places -= 1;
      held = false;
    };
  }

  /** Of a stream whose place was reserved. */
  add(stream: OpenStream): void {
    this.#streams.add(stream);
    void stream.closed.then(() => this.#streams.delete(stream));
  }

  /** Wakes the waits and takes nothing new; the streams go on. */
  beginClosing(): void {
    this.#closing.abort();
  }

  /** Ends all; each connection cuts itself off when its reader lingers. Resolves when all are closed. */
  async close(): Promise<void> {
    this.beginClosing();
    const streams = [...this.#streams];
    for (const stream of streams) stream.stop();
    await Promise.all(streams.map((stream) => stream.closed));
  }
}
