/** Ports on an address of this machine. */
import { createServer } from 'node:net';

/** A port that was free a moment ago; whoever takes it must cope with having lost it since. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  return listenOnce(host, 0);
}

/** @returns the system's error code when nothing can listen there (`EADDRINUSE`, `EACCES`, …), else null. */
export async function portFault(host: string, port: number): Promise<string | null> {
  try {
    await listenOnce(host, port);
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'UNKNOWN';
  }
}

function listenOnce(host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address();
      server.close(() => {
        if (address !== null && typeof address === 'object') resolve(address.port);
        else reject(new Error('a listening server has no address'));
      });
    });
  });
}
