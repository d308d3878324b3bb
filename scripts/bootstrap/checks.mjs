/** `npm run check`: types, lint, format. All three run, so that one look shows everything. */
import { join } from 'node:path';
import { runForeground } from './run.mjs';

const CHECKS = [
  [
    'types',
    'typescript/bin/tsc',
    ['-p', 'tsconfig.json', '--noEmit', '--tsBuildInfoFile', 'dist/.tsbuildinfo-check'],
  ],
  ['lint', 'eslint/bin/eslint.js', ['.', '--max-warnings', '0']],
  ['format', 'prettier/bin/prettier.cjs', ['--check', '--log-level', 'warn', '.']],
];

/** @returns {Promise<number>} 0 when all are clean, else 1 */
export async function runChecks(root, env) {
  const failed = [];
  for (const [name, program, args] of CHECKS) {
    const code = await runForeground(process.execPath, [join(root, 'node_modules', program), ...args], {
      cwd: root,
      env,
    });
    if (code !== 0) failed.push(name);
    if (code >= 128) return code;
  }
  console.error(
    failed.length === 0 ? 'Types, lint and format are clean.' : `Not clean: ${failed.join(', ')}.`,
  );
  return failed.length === 0 ? 0 : 1;
}
