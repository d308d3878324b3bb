/** The HTTP server under the application: bounded in how long a request may take to arrive, and closed in order. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { StartFault } from '../../shared/runtime/start-fault.js';

/** For a request to arrive whole; an answer may take as long as it needs. */
const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 15_000;
const KEEP_ALIVE_MS = 65_000;
/** What requests in flight are given at shutdown. */
const DRAIN_MS = 10_000;

export interface RunningServer {
  url: string;
  /** Takes no more connections, lets requests in flight end, then cuts what is left. Never rejects. */
  close(): Promise<void>;
}

/** @throws {StartFault} when the port cannot be had. */
export async function listen(handler: RequestListener, host: string, port: number): Promise<RunningServer> {
  const server = createServer(
    {
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
    },
    handler,
  );
  const connections = new Connections(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      reject(portFault(error, host, port));
    });
    server.listen(port, host, resolve);
  });
  server.removeAllListeners('error');
  return { url: urlOf(server), close: () => close(server, connections) };
}

function portFault(error: Error, host: string, port: number): Error {
  const { code } = error as { code?: unknown };
  switch (code) {
    case 'EADDRINUSE':
      return new StartFault(
        `PORT=${port} is in use on ${host}: stop what listens there, or set another PORT`,
      );
    case 'EACCES':
      return new StartFault(`PORT=${port} needs rights that this user lacks: set a PORT above 1023`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartFault(`HOST=${host} is no address of this machine: set HOST to one, e.g. 127.0.0.1`);
    default:
      return error;
  }
}

function urlOf(server: Server): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/**
 * Connections and how many requests each has in flight. Node's own idea of an idle connection leaves out those that never
 * sent a request, as browsers open ahead of need, and those whose last answer ends during the shutdown.
 */
class Connections {
  readonly #inFlight = new Map<Socket, number>();
  #closing = false;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#inFlight.set(socket, 0);
      socket.once('close', () => this.#inFlight.delete(socket));
    });
    server.on('request', ({ socket }, response) => {
      this.#add(socket, 1);
      response.once('close', () => this.#add(socket, -1));
    });
  }

  /** Ends connections as they have nothing in flight: at once, or when their last answer is out. */
  endWhenIdle(): void {
    this.#closing = true;
    for (const [socket, requests] of this.#inFlight) if (requests === 0) socket.end();
  }

  cut(): void {
    for (const socket of this.#inFlight.keys()) socket.destroy();
  }

  #add(socket: Socket, change: 1 | -1): void {
    const requests = this.#inFlight.get(socket);
    if (requests === undefined) return;
    this.#inFlight.set(socket, requests + change);
    if (this.#closing && requests + change === 0) socket.end();
  }
}

async function close(server: Server, connections: Connections): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  connections.endWhenIdle();
  const cut = setTimeout(() => {
    connections.cut();
  }, DRAIN_MS);
  await closed;
  clearTimeout(cut);
}
