/** A server that speaks MySQL's protocol and says that it is an old one. */
import type { AddressInfo, Server } from 'node:net';
import mysql2 from 'mysql2';

interface ServerSide {
  sequenceId: number;
  serverHandshake(greeting: object): void;
  writeOk(): void;
  writeTextResult(rows: object[], columns: object[]): void;
  on(event: string, listener: (...values: unknown[]) => void): void;
}

const CLIENT_CAPABILITIES = 0xffffff ^ 0x20 ^ 0x800;
const VAR_STRING = 0xfd;

export async function startOldMysql(version: string): Promise<{ url: string; close(): Promise<void> }> {
  const server = mysql2.createServer((raw) => {
    const connection = raw as unknown as ServerSide;
    connection.on('error', () => undefined);
    connection.on('query', () => {
      connection.writeTextResult(
        [{ version }],
        [
          {
            catalog: 'def',
            schema: '',
            table: '',
            orgTable: '',
            name: 'version',
            orgName: 'version',
            characterSet: 45,
            columnLength: 255,
            columnType: VAR_STRING,
            flags: 0,
            decimals: 0,
          },
        ],
      );
      connection.sequenceId = 0;
    });
    connection.serverHandshake({
      protocolVersion: 10,
      serverVersion: version,
      connectionId: 1,
      statusFlags: 2,
      characterSet: 45,
      capabilityFlags: CLIENT_CAPABILITIES,
      authCallback: (_login: unknown, accept: () => void) => {
        accept();
        connection.sequenceId = 0;
      },
    });
  });
  const net = (server as unknown as { _server: Server })._server;
  await new Promise<void>((resolve) => net.listen(0, '127.0.0.1', resolve));
  return {
    url: `mysql://root@127.0.0.1:${(net.address() as AddressInfo).port}/sworn`,
    close: async () => {
      await new Promise((resolve) => net.close(resolve));
    },
  };
}
