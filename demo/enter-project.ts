/** What `npm start` does first, for the demo's entries: the project's folder, and its `.env` outside production. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { config as loadDotenv } from 'dotenv';
import { projectRoot } from '../src/fleet/project-root.js';

export function enterProject(): void {
  const root = projectRoot();
  process.chdir(root);
  const dotenv = join(root, '.env');
  if (process.env['NODE_ENV'] !== 'production' && existsSync(dotenv))
    loadDotenv({ path: dotenv, quiet: true });
}
