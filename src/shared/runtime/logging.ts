/** The process's structured log: one JSON line per event on stdout (or another stream). */
import { pino, type DestinationStream, type Logger as Pino } from 'pino';
import type { Logger } from '../ports/logger.js';
import type { Env } from './env-schema.js';

/** `process` names the Procfile entry. Errors are logged by name and code; stacks at `debug` alone. */
export function createLogger(process: string, level: Env['LOG_LEVEL'], stream?: DestinationStream): Logger {
  const options = {
    level,
    base: { process, pid: globalThis.process.pid },
    serializers: { err: (error: unknown) => describeError(error) },
  };
  return wrap(stream === undefined ? pino(options) : pino(options, stream));
}

function wrap(log: Pino): Logger {
  return {
    debug: (fields, message) => {
      log.debug(fields, message);
    },
    info: (fields, message) => {
      log.info(fields, message);
    },
    warn: (fields, message) => {
      log.warn(fields, message);
    },
    error: (fields, message) => {
      log.error(fields, message);
    },
    child: (fields) => wrap(log.child(fields)),
  };
}

const MAX_CAUSES = 4;

/**
 * An error cut to what may be logged: driver messages can repeat parts of a statement, so only name, code and the place
 * stand here (SE-1).
 */
function describeError(error: unknown, depth = 0): object {
  if (!(error instanceof Error)) return { name: typeof error };
  const { code, errno } = error as { code?: unknown; errno?: unknown };
  return {
    name: error.name,
    ...(typeof code === 'string' && /^[\w.-]{1,64}$/.test(code) ? { code } : {}),
    ...(typeof errno === 'number' ? { errno } : {}),
    at: placeOf(error),
    ...(error.cause instanceof Error && depth < MAX_CAUSES
      ? { cause: describeError(error.cause, depth + 1) }
      : {}),
  };
}

/** The first frame behind the message, which may have lines that look like one. */
function placeOf({ stack = '', message }: Error): string | undefined {
  const start = stack.indexOf(message);
  if (start < 0) return undefined;
  return stack
    .slice(start + message.length)
    .split('\n')
    .find((line) => line.startsWith('    at '))
    ?.trim();
}
