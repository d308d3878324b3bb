/** MySQL's and MariaDB's faults, told apart by number, never by message. */
import { StoreUnavailable } from '../../ports/errors.js';

/** Deadlock, and lock wait timeout: the whole transaction may run again. */
const RETRYABLE = new Set([1213, 1205]);
const DUPLICATE = 1062;
/** Shutdown in progress, too many connections, access denied, unknown database, killed, gone read-only. */
const UNAVAILABLE = new Set([1053, 1040, 1045, 1044, 1049, 1129, 1130, 1203, 1290, 1927, 3169]);
const SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENOENT',
  'PROTOCOL_CONNECTION_LOST',
  'POOL_CLOSED',
  'PROTOCOL_SEQUENCE_TIMEOUT',
]);

function read(error: unknown): { errno: number | undefined; code: string | undefined } {
  if (typeof error !== 'object' || error === null) return { errno: undefined, code: undefined };
  const { errno, code, driverError } = error as { errno?: unknown; code?: unknown; driverError?: unknown };
  const inner = driverError === undefined || driverError === error ? undefined : read(driverError);
  return {
    errno: typeof errno === 'number' ? errno : inner?.errno,
    code: typeof code === 'string' ? code : inner?.code,
  };
}

export function isRetryable(error: unknown): boolean {
  return RETRYABLE.has(read(error).errno ?? 0);
}

export function isDuplicate(error: unknown): boolean {
  return read(error).errno === DUPLICATE;
}

/** The port's error for a server out of reach; any other fault as it came. */
export function translate(error: unknown): unknown {
  const { errno, code } = read(error);
  if (UNAVAILABLE.has(errno ?? 0) || SOCKET_CODES.has(code ?? ''))
    return new StoreUnavailable('MySQL', { cause: error });
  return error;
}
