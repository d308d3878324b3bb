/**
 * A fleet for trying sworn out: stores, data and token of its own under the data folder, so that neither the Runs nor the
 * knowledge of `npm start` is touched.
 */
import { join, relative } from 'node:path';
import { createRunClient, type RunClient } from '../src/cli/client/run-client.js';
import { openDataDir, readAdminToken } from '../src/fleet/data-dir.js';
import { startFleet, type Fleet, type FleetOptions, type StoreAccess } from '../src/fleet/fleet.js';
import { portFault } from '../src/fleet/free-port.js';
import { defaultDataDir, projectRoot } from '../src/fleet/project-root.js';
import type { StopSignals } from '../src/fleet/stop-signals.js';
import { asLoadFault } from './load-fault.js';

export interface TrialOptions {
  /** Of the folder under the data folder. */
  name: string;
  env: NodeJS.ProcessEnv;
  signals: StopSignals;
  say: (line: string) => void;
  /** Something that cannot be mended died; the stop has been asked for. */
  onLost: (message: string) => void;
  /** Fills logs and databases. @returns the environment that leads the workers to them. */
  prepare: (stores: PreparedStores) => Promise<Readonly<Record<string, string>>>;
}

export interface PreparedStores {
  dataDir: string;
  /** Of an account that may make schemas and accounts, as far as the demo can know. */
  adminDatabaseUrl: string;
  /** A server that the trial brought itself: whatever is on it is the trial's own. */
  ownServer: boolean;
}

export interface TrialFleet {
  fleet: Fleet;
  client: RunClient;
  /** How the token is written in a shell command, e.g. `$(cat .sworn/demo/admin-token)`. */
  tokenInShell: string;
}

const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_PORT = 8787;

/** @throws {StartFault} @throws {EnvFault} after stopping what was started. */
export async function startTrialFleet(options: TrialOptions): Promise<TrialFleet> {
  const { env, signals, say, onLost } = options;
  const dataDir = join(defaultDataDir(projectRoot(), env), options.name);
  const token = await tokenOf(env, dataDir);
  const fleet = await startFleet({
    env,
    dataDir,
    quiet: true,
    say,
    onLost,
    signal: signals.stop,
    port: await portOf(env),
    extraEnv: { ...token.extraEnv, ...offlineBesideGivenStores(env) },
    beforeProcesses: (stores) => prepared(options, stores),
  } satisfies FleetOptions);
  return {
    fleet,
    client: createRunClient({ baseUrl: fleet.baseUrl, token: fleet.adminToken ?? '' }),
    tokenInShell: token.inShell,
  };
}

async function prepared(
  { prepare }: TrialOptions,
  { dataDir, databaseUrl, adminDatabaseUrl }: StoreAccess,
): Promise<Readonly<Record<string, string>>> {
  try {
    return await prepare({
      dataDir,
      adminDatabaseUrl: adminDatabaseUrl ?? databaseUrl,
      ownServer: adminDatabaseUrl !== null,
    });
  } catch (error) {
    throw asLoadFault(error);
  }
}

/** A token of the environment is used as it is; else one lies in the trial's own folder. */
async function tokenOf(
  env: NodeJS.ProcessEnv,
  dataDir: string,
): Promise<{ extraEnv: Record<string, string>; inShell: string }> {
  if (isSet(env['ADMIN_TOKEN'])) return { extraEnv: {}, inShell: '$ADMIN_TOKEN' };
  if (isSet(env['ADMIN_TOKEN_FILE'])) return { extraEnv: {}, inShell: '$(cat "$ADMIN_TOKEN_FILE")' };
  const { token, path } = await readAdminToken(await openDataDir(dataDir));
  return { extraEnv: { ADMIN_TOKEN: token }, inShell: `$(cat ${relative(process.cwd(), path)})` };
}

/** The data is made up, so rules may answer even where a store of the user's own is used (contract §7). */
function offlineBesideGivenStores(env: NodeJS.ProcessEnv): Record<string, string> {
  const model =
    isSet(env['OPENAI_API_KEY']) || isSet(env['OPENAI_API_KEY_FILE']) || isSet(env['OPENAI_BASE_URL']);
  return model ? {} : { OFFLINE_ANALYST: '1' };
}

/** Without a PORT the usual one is taken if it is free: `npm start` may be running beside. */
async function portOf(env: NodeJS.ProcessEnv): Promise<number> {
  const given = env['PORT'];
  if (isSet(given)) return Number(given);
  return (await portFault(env['HOST'] ?? DEFAULT_HOST, DEFAULT_PORT)) === null ? DEFAULT_PORT : 0;
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}
