/** Runs other programs: with their output shown, or their result read. */
import { execFile, spawn } from 'node:child_process';
import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program in the foreground. Signals that reach this process are handed on, and it waits for the program's end,
 * so that a Ctrl-C lets the program stop in order. The program can see this process's end, however it came, as the end
 * of the pipe that SWORN_PARENT_PIPE names: its number, and this process's ID, since later generations inherit the name
 * but not the pipe.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{cwd: string, env: NodeJS.ProcessEnv}} options
 * @returns {Promise<number>} the exit code; 128 + the signal's number when it was killed
 */
export function runForeground(program, args, { cwd, env }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...env, SWORN_PARENT_PIPE: `3:${process.pid}` },
      stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    });
    const handlers = SIGNALS.map((signal) => [signal, () => child.kill(signal)]);
    for (const [signal, handler] of handlers) process.on(signal, handler);
    const end = (settle) => {
      for (const [signal, handler] of handlers) process.off(signal, handler);
      settle();
    };
    child.stdio[3].on('error', () => undefined);
    child.once('error', (error) => end(() => reject(error)));
    child.once('exit', (code, signal) => end(() => resolve(code ?? 128 + constants.signals[signal])));
  });
}

/**
 * Runs a program and reads what it prints. Never rejects.
 * @returns {Promise<{ok: boolean, output: string}>}
 */
export function runQuietly(program, args, { cwd, env, timeoutMs = 30_000 } = {}) {
  return new Promise((resolve) => {
    execFile(program, args, { cwd, env, timeout: timeoutMs, maxBuffer: 1 << 20 }, (error, stdout, stderr) => {
      resolve({ ok: error === null, output: `${stdout}${stderr}` });
    });
  });
}

/** A line about something that is really done now. */
export function say(line) {
  console.error(line);
}
