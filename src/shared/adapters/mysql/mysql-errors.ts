/** MySQL's and MariaDB's faults, told apart by number, never by message. */
import { StoreUnavailable } from '../../ports/errors.js';

/** Deadlock, and lock wait timeout: the whole transaction may run again. */
const RETRYABLE = new Set([1213, 1205]);
const DUPLICATE = 1062;
const ABSENT_TABLE = 1146;
/** What only the operator can mend, told at start in words that hold no part of the URL. */
const REFUSALS: ReadonlyMap<number, string> = new Map([
  [1045, 'the server refuses the account or its password'],
  [1698, 'the server refuses the account or its password'],
  [1044, 'the account may not use that database'],
  [1049, 'there is no such database on the server; create it, with utf8mb4'],
]);
/**
 * Shutdown in progress, too many connections, access denied, unknown database, killed, gone read-only, idle too long, and
 * a lock that others held through every attempt.
 */
const UNAVAILABLE = new Set([
  1053, 1040, 1045, 1698, 1044, 1049, 1129, 1130, 1203, 1290, 1836, 1927, 3169, 4031, 1213, 1205,
]);
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

interface Marks {
  errno: number | undefined;
  code: string | undefined;
  /** The driver's word for a connection that is of no more use. */
  fatal: boolean;
}

function read(error: unknown): Marks {
  if (typeof error !== 'object' || error === null) return { errno: undefined, code: undefined, fatal: false };
  const { errno, code, fatal, driverError } = error as {
    errno?: unknown;
    code?: unknown;
    fatal?: unknown;
    driverError?: unknown;
  };
  const inner = driverError === undefined || driverError === error ? undefined : read(driverError);
  return {
    errno: typeof errno === 'number' ? errno : inner?.errno,
    code: typeof code === 'string' ? code : inner?.code,
    fatal: fatal === true || inner?.fatal === true,
  };
}

export function isRetryable(error: unknown): boolean {
  return RETRYABLE.has(read(error).errno ?? 0);
}

export function isDuplicate(error: unknown): boolean {
  return read(error).errno === DUPLICATE;
}

export function isAbsentTable(error: unknown): boolean {
  return read(error).errno === ABSENT_TABLE;
}

/** What the server says against `DATABASE_URL`, and the way out; null when it says nothing. */
export function refusalOf(error: unknown): string | null {
  const reason = REFUSALS.get(read(error).errno ?? 0);
  return reason === undefined ? null : `DATABASE_URL does not fit: ${reason}`;
}

/** The port's error for a server out of reach; any other fault as it came. */
export function translate(error: unknown): unknown {
  const { errno, code, fatal } = read(error);
  if (fatal || UNAVAILABLE.has(errno ?? 0) || SOCKET_CODES.has(code ?? ''))
    return new StoreUnavailable('MySQL', { cause: error });
  return error;
}
