/** The set-up's modules, which are plain scripts outside of the build, and the types that they have in words. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../../../src/fleet/project-root.js';

export type ServerName = 'redis' | 'mariadb';
type Plan =
  { kind: 'apt'; sudo: boolean; script: string } | { kind: 'brew'; formulas: string[] } | { kind: 'by-hand' };
export interface Machine {
  platform: string;
  aptGet: boolean;
  brew: boolean;
  rights: 'root' | 'sudo' | 'none';
}
interface Scripts {
  'build.mjs': {
    sourceHash: (root: string, kind: 'app' | 'all') => string;
    prune: (built: string, sources: string) => void;
  };
  'commands.mjs': {
    neededServers: (root: string, env: NodeJS.ProcessEnv, command: { ownServers: boolean }) => ServerName[];
  };
  'dependencies.mjs': { dependenciesCurrent: (root: string) => boolean; lockHash: (root: string) => string };
  'find-servers.mjs': {
    findServers: (
      env: NodeJS.ProcessEnv,
      wanted: ServerName[],
    ) => Promise<{ missing: ServerName[]; notes: string[] }>;
  };
  'install-plan.mjs': {
    installPlan: (machine: Machine, missing: ServerName[]) => Plan;
    aptScript: (missing: ServerName[], sbin: string) => string;
    byHandText: (missing: ServerName[], notes: string[]) => string;
  };
  'install-servers.mjs': {
    ensureServers: (root: string, env: NodeJS.ProcessEnv, wanted: ServerName[]) => Promise<void>;
  };
  'node-version.mjs': { nodeFault: (version: string) => string | null };
  'setup-lock.mjs': { withSetupLock: <T>(root: string, work: () => Promise<T>, mark: string) => Promise<T> };
}

export const FOLDER = join(projectRoot(), 'scripts', 'bootstrap');
export const script = async <K extends keyof Scripts>(name: K): Promise<Scripts[K]> =>
  (await import(pathToFileURL(join(FOLDER, name)).href)) as Scripts[K];
