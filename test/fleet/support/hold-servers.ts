/** A supervisor to be killed: starts embedded servers in the folder given and says so on stdout. */
import { startEmbedded } from '../../../src/fleet/embedded-servers.js';

const [dataDir = ''] = process.argv.slice(2);
const servers = await startEmbedded({ dataDir, log: () => undefined });
process.stdout.write(`${JSON.stringify({ keeperPid: servers.keeperPid })}\n`);
