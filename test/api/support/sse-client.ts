/** An event stream as a client reads it. */
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { until } from './until.js';

export interface SseRequest {
  url: string;
  token: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: unknown;
}

export interface ReadFrame {
  id: number;
  event: string;
  data: Record<string, unknown>;
}

export class SseClient {
  readonly frames: ReadFrame[] = [];
  readonly comments: string[] = [];
  readonly retries: number[] = [];
  ended = false;
  closed = false;

  private constructor(
    readonly request: ClientRequest,
    readonly response: IncomingMessage,
  ) {}

  /** Resolves with the head. @param read false leaves the body unread. */
  static open(options: SseRequest, read = true): Promise<SseClient> {
    return new Promise((resolve, reject) => {
      const { method = 'GET', token, headers = {}, body } = options;
      const sent = request(options.url, {
        method,
        agent: false,
        headers: {
          Authorization: `Bearer ${token}`,
          Accept: 'text/event-stream',
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
      });
      sent.once('error', reject);
      sent.once('response', (response) => {
        const client = new SseClient(sent, response);
        sent.on('error', () => undefined);
        client.#follow(read);
        resolve(client);
      });
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  get ids(): number[] {
    return this.frames.map(({ id }) => id);
  }

  get events(): string[] {
    return this.frames.map(({ event }) => event);
  }

  /** Waits for so many frames in all. */
  async count(frames: number): Promise<void> {
    await until(() => this.frames.length >= frames, `${frames} frames came, not ${this.frames.length}`);
  }

  /** Waits for the server's end of the stream. */
  async end(): Promise<void> {
    await until(() => this.ended, 'the stream ended');
  }

  leave(): void {
    this.request.destroy();
  }

  #follow(read: boolean): void {
    const parser = createParser({
      onEvent: (message: EventSourceMessage) => {
        const data = JSON.parse(message.data) as Record<string, unknown>;
        this.frames.push({ id: Number(message.id), event: message.event ?? '', data });
      },
      onComment: (comment) => this.comments.push(comment),
      onRetry: (ms) => this.retries.push(ms),
    });
    const { response } = this;
    response.on('error', () => undefined);
    response.on('close', () => (this.closed = true));
    response.on('end', () => (this.ended = true));
    if (!read) return;
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      parser.feed(chunk);
    });
  }
}
