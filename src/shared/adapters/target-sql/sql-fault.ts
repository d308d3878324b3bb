/** The server's and the client's faults as results, told apart by number and SQLSTATE, never by message. */
import type { InvocationErrorCode } from '../../domain/contracts/invocation.js';
import type { Redact } from '../../ports/redactor.js';

export interface SqlFault {
  code: InvocationErrorCode;
  message: string;
}

/** Access to a schema, table, column, routine, account or privilege; changing anything in a read-only transaction. */
const ACCESS_DENIED = new Set([1044, 1045, 1142, 1143, 1227, 1345, 1370, 1410, 1419, 1698, 1792, 1836, 3118]);
/** `max_statement_time`, `max_execution_time`, lock wait. */
const TIME_OVER = new Set([1969, 3024, 1205]);
/** Too many connections (server, account), shutdown, killed, resource limits, host blocked, idle too long. */
const UNAVAILABLE = new Set([1040, 1053, 1129, 1130, 1203, 1226, 1927, 3169, 4031]);
const INTERRUPTED = 1317;
/** Syntax error or access rule violation; what is about access stands above. Its messages quote the statement alone. */
const STATEMENT_STATES = /^(42|21)/;
/** Data exceptions: their messages may quote a value of the data. */
const DATA_STATES = /^22/;
/** States HY000 that are the statement's fault: group functions, unsupported features, unknown collation, operand columns. */
const STATEMENT_ERRNOS = new Set([
  1111, 1221, 1235, 1267, 1270, 1271, 1273, 1305, 1366, 1525, 1582, 1584, 1690, 3636,
]);
const MAX_MESSAGE_CHARS = 300;

interface ErrorFields {
  errno: number | undefined;
  sqlState: string;
  /** The server's own text, without the statement. */
  text: string;
}

function fields(error: unknown): ErrorFields {
  if (typeof error !== 'object' || error === null) return { errno: undefined, sqlState: '', text: '' };
  const { errno, sqlState, sqlMessage } = error as Record<string, unknown>;
  return {
    errno: typeof errno === 'number' && errno > 0 ? errno : undefined,
    sqlState: typeof sqlState === 'string' ? sqlState : '',
    text: typeof sqlMessage === 'string' ? sqlMessage : '',
  };
}

/** True when the server answered with an error: the connection is still in step. */
export function isServerError(error: unknown): boolean {
  const { errno, sqlState } = fields(error);
  return errno !== undefined && sqlState !== '' && !UNAVAILABLE.has(errno) && errno !== INTERRUPTED;
}

export function sqlFault(error: unknown, redact: Redact): SqlFault {
  const { errno, sqlState, text } = fields(error);
  if (errno === undefined || sqlState === '' || UNAVAILABLE.has(errno)) {
    const number = errno === undefined || sqlState === '' ? '' : ` (error ${String(errno)})`;
    return {
      code: 'UNAVAILABLE',
      message: `the database cannot be reached${number}; nothing is known from it`,
    };
  }
  const number = `error ${String(errno)}`;
  if (ACCESS_DENIED.has(errno))
    return { code: 'DENIED', message: `the account that reads the database may not do this (${number})` };
  if (TIME_OVER.has(errno))
    return {
      code: 'TIMEOUT',
      message: `the server ended the query when its time was over (${number}); narrow it, or use an indexed column`,
    };
  if (DATA_STATES.test(sqlState))
    return {
      code: 'INVALID_ARGUMENTS',
      message: `a value does not fit its use in the statement (${number})`,
    };
  if (STATEMENT_STATES.test(sqlState) || STATEMENT_ERRNOS.has(errno)) {
    const shown = redact(text.slice(0, 4 * MAX_MESSAGE_CHARS)).slice(0, MAX_MESSAGE_CHARS);
    return { code: 'INVALID_ARGUMENTS', message: `the server refused the statement (${number}): ${shown}` };
  }
  return {
    code: 'FAILED',
    message: `the query failed on the server (${number}) and says nothing about the data`,
  };
}
