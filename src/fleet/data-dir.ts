/**
 * Where the embedded servers keep their things, and the secrets between them and us. Folders are the owner's alone (700)
 * and so is each file that holds a secret (600).
 *
 *   keeper.json      who owns this folder now        logs/       bounded logs
 *   secrets.json     passwords, made once            redis/      configuration, append-only file
 *   admin-token      the fleet's first token         mariadb/    configuration, init file, data
 */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const DIR_MODE = 0o700;
const SECRET_MODE = 0o600;

export interface DataDir {
  readonly root: string;
  readonly logs: string;
  readonly redis: string;
  readonly mariadb: string;
  /** Names this folder in the command line of whatever belongs to it. */
  readonly lockFile: string;
}

/** Makes the folders that are missing. */
export async function openDataDir(root: string): Promise<DataDir> {
  const dir = { root, logs: join(root, 'logs'), redis: join(root, 'redis'), mariadb: join(root, 'mariadb') };
  for (const path of Object.values(dir)) {
    await mkdir(path, { recursive: true, mode: DIR_MODE });
    await chmod(path, DIR_MODE);
  }
  return { ...dir, lockFile: join(root, 'keeper.json') };
}

const Secrets = z.object({ redis: z.string(), owner: z.string(), admin: z.string(), root: z.string() });
/** Passwords: of Redis, of the account that owns `sworn`, of the administrator, of the server's own `root`. */
export type Secrets = z.infer<typeof Secrets>;

/** Reads the secrets or makes them; unreadable ones are made anew, since each start sets the accounts' passwords. */
export async function readSecrets(dir: DataDir): Promise<Secrets> {
  const path = join(dir.root, 'secrets.json');
  const kept = await readJson(path, Secrets);
  if (kept !== null) return kept;
  const made = { redis: secret(), owner: secret(), admin: secret(), root: secret() };
  await writePrivately(path, JSON.stringify(made));
  return made;
}

/** The fleet's first token: made once, then kept. Two that come at the same time get the same. */
export async function readAdminToken(dir: DataDir): Promise<{ token: string; path: string }> {
  const path = join(dir.root, 'admin-token');
  if (!existsSync(path)) {
    const draft = `${path}.${process.pid}`;
    await writeFile(draft, `swt_${secret()}\n`, { mode: SECRET_MODE });
    try {
      await link(draft, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      await rm(draft, { force: true });
    }
  }
  return { token: (await readFile(path, 'utf8')).trim(), path };
}

/** Replaces a file in one step; only the owner may read it. */
export async function writePrivately(path: string, text: string): Promise<void> {
  const draft = `${path}.${process.pid}.new`;
  await writeFile(draft, text, { mode: SECRET_MODE });
  await rename(draft, path);
}

/** Null when the file is absent or holds something else. */
export async function readJson<T>(path: string, schema: z.ZodType<T>): Promise<T | null> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch {
    return null;
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** 256 random bits, of characters that need no quoting anywhere. */
function secret(): string {
  return randomBytes(32).toString('base64url');
}
