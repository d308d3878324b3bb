/**
 * What every entry has in common: start, say so, stop once on SIGTERM, SIGINT or the end of a supervisor's pipe, and
 * leave with a code. A fault at start is one message without a stack trace.
 */
import { StoreUnavailable } from '../ports/errors.js';
import type { Logger } from '../ports/logger.js';
import { EnvFault } from './env.js';
import { shutDown, type ShutdownStep } from './shutdown.js';
import { StartFault } from './start-fault.js';

export interface Running {
  log: Logger;
  shutdownTimeoutMs: number;
  /** In the order of closing. */
  steps: readonly ShutdownStep[];
}

export interface ProcessControl {
  /** Ends the process in order, with code 1, e.g. when its locks vanish for good. `reason` stands in the log. */
  fail: (reason: string) => void;
}

/** Runs `start` as this process's life. Call it from a `main.ts` alone. */
export async function runProcess(start: (control: ProcessControl) => Promise<Running>): Promise<void> {
  let requested: number | undefined;
  let stop: ((code: number) => void) | undefined;
  let failure: string | undefined;
  const request = (code: number): void => {
    if (requested !== undefined) return;
    requested = code;
    stop?.(code);
  };
  const control: ProcessControl = {
    fail: (reason) => {
      failure ??= reason;
      request(1);
    },
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      request(0);
    });
  }
  followSupervisor(() => {
    request(0);
  });
  try {
    const running = await start(control);
    const code = await new Promise<number>((resolve) => {
      if (requested !== undefined) resolve(requested);
      else stop = resolve;
    });
    if (failure !== undefined) running.log.error({ reason: failure }, 'the process cannot go on');
    running.log.info({}, 'stopping');
    const failed = await shutDown(running.steps, running.shutdownTimeoutMs, running.log);
    running.log.info({ failed }, 'stopped');
    process.exit(failed.length > 0 ? 1 : code);
  } catch (error) {
    process.stderr.write(`${startMessage(error)}\n`);
    process.exit(1);
  }
}

/** A supervised child lives no longer than the pipe from its supervisor, however that one died. */
function followSupervisor(end: () => void): void {
  if (process.env['SWORN_SUPERVISED'] !== '1') return;
  process.stdin.on('end', end).on('close', end).on('error', end).resume();
}

function startMessage(error: unknown): string {
  if (error instanceof EnvFault || error instanceof StartFault) return error.message;
  if (error instanceof StoreUnavailable) {
    const variable = error.what === 'Redis' ? 'REDIS_URL' : 'DATABASE_URL';
    return `${error.message}: check ${variable} and that the server runs`;
  }
  const { name, code, message, stack } =
    error instanceof Error ? withCode(error) : withCode(new Error(String(error)));
  const detail = process.env['LOG_LEVEL'] === 'debug' ? `\n${stack ?? ''}` : ' (LOG_LEVEL=debug shows where)';
  return `sworn could not start: ${name}${code === undefined ? '' : ` ${code}`}: ${message}${detail}`;
}

function withCode(error: Error): {
  name: string;
  code: string | undefined;
  message: string;
  stack: string | undefined;
} {
  const { code } = error as { code?: unknown };
  return {
    name: error.name,
    code: typeof code === 'string' ? code : undefined,
    message: error.message,
    stack: error.stack,
  };
}
