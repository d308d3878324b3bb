/** One statement on one connection, its rows handed on as they arrive. */
import type { PoolConnection } from 'mysql2';
import type { ResultColumn, RowBytes } from './row-collector.js';

export interface RowSink {
  start(columns: readonly ResultColumn[]): void;
  /** @returns false when no further row is wanted. */
  add(row: RowBytes): boolean;
}

/** Of mysql2's column definition, what its types leave out or make optional. */
interface ColumnPacket {
  name: string;
  orgName: string;
  columnType?: number;
  type?: number;
  characterSet?: number;
}

function columnsOf(packets: readonly ColumnPacket[]): ResultColumn[] {
  return packets.map((packet) => ({
    name: packet.name,
    origin: packet.orgName,
    type: packet.columnType ?? packet.type ?? 0,
    collation: packet.characterSet ?? 0,
  }));
}

/**
 * `done`: the server has sent everything and the connection is free. `enough`: the sink wanted no more, and the
 * connection is in the midst of the result: the caller must stop it. Rejects with the client's error, or with the
 * signal's reason, after which the connection must be stopped too (mysql2 never settles a destroyed query itself).
 */
export function exchange(
  connection: PoolConnection,
  sql: string,
  signal: AbortSignal,
  sink?: RowSink,
): Promise<'done' | 'enough'> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const onAbort = () => settle(() => reject(signal.reason as Error));
    const onFault = (error: Error) => settle(() => reject(error));
    let settled = false;
    const settle = (finish: () => void) => {
      if (settled) return;
      settled = true;
      signal.removeEventListener('abort', onAbort);
      connection.off('error', onFault);
      finish();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    // A lost connection is told to the connection alone, a statement's own fault to the query.
    connection.on('error', onFault);
    const query = connection.query({ sql, rowsAsArray: true, typeCast: false });
    query.on('error', onFault);
    query.on('end', () => settle(() => resolve('done')));
    query.on('fields', (packets: unknown) => {
      if (!settled && Array.isArray(packets)) sink?.start(columnsOf(packets as ColumnPacket[]));
    });
    query.on('result', (row: unknown) => {
      if (settled || !Array.isArray(row) || !sink) return;
      if (!sink.add(row as RowBytes)) settle(() => resolve('enough'));
    });
  });
}
