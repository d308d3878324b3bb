/** The folder of the project, found from where this code was built to. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StartFault } from '../shared/runtime/start-fault.js';

/** The nearest folder above that holds a Procfile. @throws {StartFault} */
export function projectRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'Procfile'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new StartFault('There is no Procfile in the folders above this program.');
    folder = parent;
  }
  return folder;
}

/** `SWORN_DATA_DIR`, else `.sworn` in the project. */
export function defaultDataDir(root: string, env: NodeJS.ProcessEnv): string {
  const given = env['SWORN_DATA_DIR'];
  return given === undefined || given === '' ? join(root, '.sworn') : resolve(root, given);
}
