/**
 * Who a process ID belongs to. A number alone proves nothing: it may have been given to a stranger since. A process
 * counts as ours only when its command line contains a mark (a path of ours).
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const POLL_MS = 25;
const KILL_WAIT_MS = 5000;

/** The command line of a living process; null when there is none (a zombie has none either). */
export async function commandLineOf(pid: number): Promise<string | null> {
  const line = process.platform === 'linux' ? await fromProc(pid) : await fromPs(pid);
  return line === '' ? null : line;
}

async function fromProc(pid: number): Promise<string> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

async function fromPs(pid: number): Promise<string> {
  try {
    const { stdout } = await run('ps', ['-ww', '-o', 'stat=,command=', '-p', String(pid)], { timeout: 5000 });
    const [state = '', ...words] = stdout.trim().split(/\s+/);
    return state.startsWith('Z') ? '' : words.join(' ');
  } catch {
    return '';
  }
}

/** Whether `pid` lives and its command line contains `mark`. */
export async function isOurs(pid: number, mark: string): Promise<boolean> {
  return (await commandLineOf(pid))?.includes(mark) ?? false;
}

/** Waits until the process is gone, at most `ms`. @returns whether it is. */
export async function waitGone(pid: number, mark: string, ms: number): Promise<boolean> {
  const deadline = performance.now() + ms;
  while (await isOurs(pid, mark)) {
    if (performance.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}

/**
 * Ends a process that is not our child: SIGTERM, then SIGKILL after `graceMs`.
 * @returns whether there was one to end.
 */
export async function endStranded(pid: number, mark: string, graceMs: number): Promise<boolean> {
  if (!(await isOurs(pid, mark))) return false;
  sendSignal(pid, 'SIGTERM');
  if (await waitGone(pid, mark, graceMs)) return true;
  if (await isOurs(pid, mark)) sendSignal(pid, 'SIGKILL');
  await waitGone(pid, mark, KILL_WAIT_MS);
  return true;
}

/** A process that has gone in the meantime is no fault. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
