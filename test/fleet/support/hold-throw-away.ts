/** A test run to be killed: starts throw-away servers and says where Redis listens on stdout. */
import { startThrowAwayServers } from '../../support/servers.js';

const servers = await startThrowAwayServers();
process.stdout.write(`${servers.redisUrl}\n`);
