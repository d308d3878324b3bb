/** A door on loopback in front of a real server: shut, it cuts every connection and refuses new ones, like an outage. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface TcpGate {
  /** The URL given, through the gate. */
  readonly url: string;
  shut(): Promise<void>;
  open(): Promise<void>;
  close(): Promise<void>;
}

export async function openGate(targetUrl: string): Promise<TcpGate> {
  const target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    return socket;
  };
  let server: Server | undefined;
  let port = 0;
  const open = async (): Promise<void> => {
    const next = createServer((client) => {
      const upstream = keep(connect(Number(target.port), target.hostname));
      keep(client).pipe(upstream).pipe(client);
      client.on('close', () => upstream.destroy());
      upstream.on('close', () => client.destroy());
    });
    server = next;
    await new Promise<void>((resolve) => next.listen(port, '127.0.0.1', resolve));
    port = (next.address() as AddressInfo).port;
  };
  const shut = async (): Promise<void> => {
    const last = server;
    server = undefined;
    const closed = new Promise((resolve) => (last === undefined ? resolve(undefined) : last.close(resolve)));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await open();
  const through = new URL(targetUrl);
  through.hostname = '127.0.0.1';
  through.port = String(port);
  return { url: through.toString(), shut, open, close: shut };
}
