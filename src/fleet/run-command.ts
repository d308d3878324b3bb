/** Runs one command of the Procfile to its end. */
import { spawn } from 'node:child_process';
import { StartFault } from '../shared/runtime/start-fault.js';
import { LineTail } from './bounded-log.js';

const TAIL_LINES = 20;

export interface CommandRun {
  command: string;
  /** Named in the fault. */
  what: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
  timeoutMs: number;
  signal: AbortSignal;
}

/** @throws {StartFault} with the command's last words when it fails, takes too long or is given up. */
export async function runCommand(run: CommandRun): Promise<void> {
  const child = spawn('/bin/sh', ['-c', `exec ${run.command}`], {
    cwd: run.cwd,
    env: run.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const tail = new LineTail(TAIL_LINES);
  const keep = (chunk: Buffer): void => {
    tail.push(chunk);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const end = (): void => void child.kill('SIGKILL');
  const late = setTimeout(end, run.timeoutMs);
  run.signal.addEventListener('abort', end);
  if (run.signal.aborted) end();
  try {
    const how = await new Promise<string | number>((resolve) => {
      child.once('error', (error: NodeJS.ErrnoException) => {
        resolve(error.code ?? error.name);
      });
      child.once('close', (code, signal) => {
        resolve(code ?? String(signal));
      });
    });
    if (run.signal.aborted) throw new StartFault('The start was given up.');
    if (how !== 0) {
      const code = typeof how === 'number' ? `exit code ${how}` : how;
      throw new StartFault(`${run.what} failed (${code}):\n${tail.toString()}`);
    }
  } finally {
    clearTimeout(late);
    run.signal.removeEventListener('abort', end);
  }
}
