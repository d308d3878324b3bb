/** The keeper process: `node keeper.js <data folder> <order as JSON>`, its stdin a pipe from the supervisor. */
import { keepServers } from './keep-servers.js';
import { KeeperOrder } from './keeper-protocol.js';

const [root, orderText] = process.argv.slice(2);
const order = KeeperOrder.safeParse(JSON.parse(orderText ?? 'null'));
if (root === undefined || !order.success) {
  process.stderr.write('the keeper is started by sworn itself: npm start\n');
  process.exit(2);
}

const end = new AbortController();
const stop = (): void => {
  end.abort();
};
process.stdin.on('end', stop).on('close', stop).on('error', stop).resume();
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, stop);
/** A supervisor that is gone reads no more; that is no fault of the keeper's. */
process.stdout.on('error', stop);

process.exitCode = await keepServers(root, order.data, {
  signal: end.signal,
  tell: (word) => {
    if (!end.signal.aborted || word.word === 'failed') process.stdout.write(`${JSON.stringify(word)}\n`);
  },
});
process.stdin.destroy();
