/** Folders of a test run, removed at its end. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sworn-test-'));
  folders.push(folder);
  return folder;
}

export async function removeTempFolders(): Promise<void> {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
}
