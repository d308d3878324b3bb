/** Where the demo's own runbooks lie: Markdown in the project, not in the build. */
import { join } from 'node:path';
import { projectRoot } from '../src/fleet/project-root.js';

export function runbooksDir(): string {
  return join(projectRoot(), 'demo', 'runbooks');
}
