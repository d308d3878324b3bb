/** Redis and MariaDB of a test run's own, never those of `npm start`. */
import { startEmbedded } from '../../src/fleet/embedded-servers.js';
import { openThrowAwayDir } from '../../src/fleet/throw-away.js';

export interface ThrowAwayServers {
  redisUrl: string;
  /** The account that owns the schema `sworn`. */
  databaseUrl: string;
  /** May make schemas and accounts; its path names the schema `mysql`. */
  adminDatabaseUrl: string;
  /** Stops the servers and removes their data. */
  stop(): Promise<void>;
}

/** They end with this process, even when it is killed. */
export async function startThrowAwayServers(): Promise<ThrowAwayServers> {
  const servers = await startEmbedded({
    dataDir: await openThrowAwayDir(),
    throwAway: true,
    log: () => undefined,
    onLost: (message) => {
      process.stderr.write(`${message}\n`);
    },
  });
  const { redisUrl, databaseUrl, adminUrl } = servers;
  if (redisUrl === null || databaseUrl === null || adminUrl === null)
    throw new Error('both servers were asked for');
  return { redisUrl, databaseUrl, adminDatabaseUrl: adminUrl, stop: () => servers.stop() };
}
