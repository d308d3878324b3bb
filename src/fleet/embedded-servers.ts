/**
 * Private Redis and MariaDB for one data folder, on loopback and free ports (contract §7). They are run by a keeper
 * process that lives as long as a pipe from this process, so that they end with it however it ends.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, fstatSync, ftruncateSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { StartFault } from '../shared/runtime/start-fault.js';
import { readWord, type KeeperOrder, type KeeperWord } from './keeper-protocol.js';

const KEEPER = fileURLToPath(new URL('./keeper.js', import.meta.url));
/** Longer than the servers' own limits together, which the keeper enforces. */
const START_MS = 300_000;
const STOP_MS = 60_000;
const ERROR_LOG_BYTES = 256 * 1024;

export interface EmbeddedOptions {
  /** Absolute path of the data folder; made when absent. */
  dataDir: string;
  /** A line for the person who started this. */
  log: (line: string) => void;
  /** Which of the two; both by default. */
  redis?: boolean;
  mariadb?: boolean;
  /** Remove the data at the end, and trade durability for speed. */
  throwAway?: boolean;
  /** A server has died for good, or the keeper has; what is left of them is being stopped. */
  onLost?: (message: string) => void;
  /** Gives up waiting for the servers, and stops what was started. */
  signal?: AbortSignal;
}

export interface EmbeddedServers {
  /** Null for a server that was not asked for. */
  readonly redisUrl: string | null;
  /** The account that owns the schema `sworn`. */
  readonly databaseUrl: string | null;
  /** An account that may do everything, schemas and accounts included. */
  readonly adminUrl: string | null;
  readonly keeperPid: number;
  /** Stops both in order; resolves when they are gone. Never rejects; may be called more than once. */
  stop(): Promise<void>;
}

/** Resolves when the servers really answer. @throws {StartFault} with the reason and the way out. */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServers> {
  const keeper = spawnKeeper(options);
  const gone = exitOf(keeper);
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= endKeeper(keeper, gone));
  const lost = (message: string): void => {
    if (stopping === undefined) options.onLost?.(message);
  };
  try {
    const ready = await readiness(keeper, gone, options, lost);
    void gone.then((how) => {
      lost(`The keeper of the embedded servers died (${how}): start again, which also cleans up after it.`);
    });
    return { ...ready, keeperPid: keeper.process.pid ?? 0, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Keeper {
  process: ChildProcess;
  lifeLine: Writable;
  words: Readable;
}

/** Detached: a Ctrl-C in the terminal is for the supervisor, which stops its stores last. */
function spawnKeeper(options: EmbeddedOptions): Keeper {
  const order: KeeperOrder = {
    redis: options.redis ?? true,
    mariadb: options.mariadb ?? true,
    throwAway: options.throwAway ?? false,
  };
  mkdirSync(join(options.dataDir, 'logs'), { recursive: true, mode: 0o700 });
  const errors = openSync(join(options.dataDir, 'logs', 'keeper.log'), 'a', 0o600);
  try {
    if (fstatSync(errors).size > ERROR_LOG_BYTES) ftruncateSync(errors);
    const child: ChildProcess = spawn(process.execPath, [KEEPER, options.dataDir, JSON.stringify(order)], {
      stdio: ['pipe', 'pipe', errors],
      detached: true,
    });
    const { stdin, stdout } = child;
    if (stdin === null || stdout === null)
      throw new StartFault('The keeper of the embedded servers has no pipes.');
    stdin.on('error', () => undefined);
    return { process: child, lifeLine: stdin, words: stdout };
  } finally {
    closeSync(errors);
  }
}

type Ready = Pick<EmbeddedServers, 'redisUrl' | 'databaseUrl' | 'adminUrl'>;

/** Waits for the keeper's first decisive word; a failure after it goes to `lost`. */
async function readiness(
  keeper: Keeper,
  gone: Promise<string>,
  options: EmbeddedOptions,
  lost: (message: string) => void,
): Promise<Ready> {
  const { signal } = options;
  let cancel: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  const outcome = new Promise<Ready>((resolve, reject) => {
    const refuse = (message: string): void => {
      reject(new StartFault(message));
    };
    hearWords(keeper, (word) => {
      switch (word.word) {
        case 'say':
          options.log(word.line);
          return;
        case 'ready':
          resolve({ redisUrl: word.redisUrl, databaseUrl: word.databaseUrl, adminUrl: word.adminUrl });
          return;
        case 'failed':
          refuse(word.message);
          lost(word.message);
          return;
      }
    });
    cancel = () => {
      refuse('The start was given up.');
    };
    timer = setTimeout(() => {
      refuse(
        `The embedded servers were not ready in ${START_MS / 1000} s; their logs are in ${options.dataDir}/logs.`,
      );
    }, START_MS);
    void gone.then((how) => {
      refuse(`The keeper of the embedded servers ended (${how}); see ${options.dataDir}/logs/keeper.log.`);
    });
    if (signal?.aborted === true) cancel();
    else signal?.addEventListener('abort', cancel);
  });
  try {
    return await outcome;
  } finally {
    clearTimeout(timer);
    if (cancel !== undefined) signal?.removeEventListener('abort', cancel);
  }
}

function hearWords(keeper: Keeper, hear: (word: KeeperWord) => void): void {
  createInterface({ input: keeper.words }).on('line', (line) => {
    const word = readWord(line);
    if (word !== null) hear(word);
  });
}

/** Resolves with the exit code or signal, after the last word has been heard. */
function exitOf(keeper: Keeper): Promise<string> {
  return new Promise((resolve) => {
    keeper.process.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code ?? error.name);
    });
    keeper.process.once('close', (code, signal) => {
      resolve(code === null ? String(signal) : `exit code ${code}`);
    });
  });
}

/** Lets go of the life line; a keeper that does not end by itself is killed. */
async function endKeeper(keeper: Keeper, gone: Promise<string>): Promise<void> {
  keeper.lifeLine.end();
  const late = setTimeout(() => keeper.process.kill('SIGKILL'), STOP_MS);
  await gone;
  clearTimeout(late);
}
