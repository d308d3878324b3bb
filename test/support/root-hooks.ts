/** What every test run shares: an unhandled rejection fails it, and shared servers stop at its end. */
import type { Context, RootHookObject } from 'mocha';
import { stopSharedServers } from './shared-servers.js';

const rejections: unknown[] = [];
process.on('unhandledRejection', (reason) => {
  rejections.push(reason);
});

export const mochaHooks: RootHookObject = {
  afterEach() {
    const [reason] = rejections.splice(0);
    if (reason === undefined) return;
    throw reason instanceof Error ? reason : new Error('a rejection that is no error was not handled');
  },
  async afterAll(this: Context) {
    this.timeout(30_000);
    await stopSharedServers();
  },
};
