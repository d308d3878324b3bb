/** `npm run bench`: figures as medians and ratios on this machine; nothing here asserts a time. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demoFigures } from './demo-time.js';
import { residentMemory } from './memory.js';
import { runOverhead } from './run-overhead.js';
import { printTable, type Figure } from './table.js';
import { openBenchFleet, startFigures } from './bench-fleet.js';

const only = process.argv[2];
const figures: Figure[] = [];
const folder = await mkdtemp(join(tmpdir(), 'sworn-bench-'));
try {
  if (only === undefined || only === 'run') {
    const bench = await openBenchFleet(folder);
    try {
      figures.push(...(await residentMemory(bench.fleet)), ...(await runOverhead(bench)));
    } finally {
      await bench.close();
    }
  }
  if (only === undefined || only === 'start') figures.push(...(await startFigures(folder)));
  if (only === undefined || only === 'demo') figures.push(...(await demoFigures()));
  printTable(figures);
} finally {
  await rm(folder, { recursive: true, force: true });
}
