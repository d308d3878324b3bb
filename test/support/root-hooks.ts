/** What every test run shares: an unhandled rejection fails it, and shared servers and folders go at its end. */
import type { Context, RootHookObject } from 'mocha';
import { stopSharedServers } from './shared-servers.js';
import { removeTempFolders } from './temp-folder.js';

const rejections: unknown[] = [];
process.on('unhandledRejection', (reason) => {
  rejections.push(reason);
});

/** A rejection is reported a turn of the event loop after it happened. */
async function failOnRejection(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  const [reason] = rejections.splice(0);
  if (reason === undefined) return;
  throw reason instanceof Error ? reason : new Error('a rejection that is no error was not handled');
}

export const mochaHooks: RootHookObject = {
  afterEach: failOnRejection,
  async afterAll(this: Context) {
    this.timeout(30_000);
    await stopSharedServers();
    await removeTempFolders();
    await failOnRejection();
  },
};
