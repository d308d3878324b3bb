/**
 * The thread in which statements are checked: a grammar that backtracks can take as long as it likes over a short text,
 * and a thread can be ended in the middle of it. Entry of a worker thread; nobody imports it.
 */
import { parentPort } from 'node:worker_threads';
import type { SqlPolicy } from './sql-allowed.js';
import { checkStatement } from './statement-check.js';

const port = parentPort;
if (port !== null) {
  port.on('message', ({ sql, policy }: { sql: string; policy: SqlPolicy }) => {
    port.postMessage(checkStatement(sql, policy));
  });
  // The first statement loads the grammar; whoever waits for it waits before its own clock runs.
  checkStatement('SELECT 1', { database: '', schemas: [] });
  port.postMessage('ready');
}
