/** The process's structured log: one JSON line per event on stdout (or another stream). */
import { pino, type DestinationStream, type Logger as Pino } from 'pino';
import type { Logger } from '../ports/logger.js';
import type { Env } from './env-schema.js';

/** `process` names the Procfile entry. Errors are logged by name and code; stacks at `debug` alone. */
export function createLogger(process: string, level: Env['LOG_LEVEL'], stream?: DestinationStream): Logger {
  const options = {
    level,
    base: { process, pid: globalThis.process.pid },
    serializers: { err: describeError },
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

/**
 * An error cut to what may be logged: driver messages can repeat parts of a statement, so only name, code and the place
 * stand here (SE-1).
 */
function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { name: typeof error };
  const { code, errno } = error as { code?: unknown; errno?: unknown };
  return {
    name: error.name,
    ...(typeof code === 'string' ? { code } : {}),
    ...(typeof errno === 'number' ? { errno } : {}),
    at: error.stack
      ?.split('\n')
      .find((line) => line.trimStart().startsWith('at '))
      ?.trim(),
    ...(error.cause instanceof Error ? { cause: describeError(error.cause) } : {}),
  };
}
