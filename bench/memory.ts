/** Resident memory of the fleet's processes at rest, from the kernel. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Fleet } from '../src/fleet/fleet.js';
import { atMost, type Figure } from './table.js';

const REST_MS = 5000;
const LIMITS: Readonly<Record<string, number>> = { api: 150, diagnosis: 200, guard: 200 };

export async function residentMemory(fleet: Fleet): Promise<Figure[]> {
  await new Promise((resolve) => setTimeout(resolve, REST_MS));
  const figures: Figure[] = [];
  for (const [name, pid] of fleet.pids()) {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
    figures.push(
      atMost(`resident memory of ${name} at rest`, Number(stdout.trim()) / 1024, LIMITS[name] ?? 200, 'MiB'),
    );
  }
  return figures;
}
