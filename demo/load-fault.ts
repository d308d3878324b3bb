/** What a database server says to the loading of demo data, as a fault that names the way out. */
import { StartFault } from '../src/shared/runtime/start-fault.js';

const DENIED: ReadonlySet<string> = new Set([
  'ER_ACCESS_DENIED_ERROR',
  'ER_DBACCESS_DENIED_ERROR',
  'ER_TABLEACCESS_DENIED_ERROR',
  'ER_SPECIFIC_ACCESS_DENIED_ERROR',
  'ER_CANNOT_USER',
]);

/** Anything else comes back as it is. */
export function asLoadFault(error: unknown): unknown {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  if (code === undefined || !DENIED.has(code)) return error;
  return new StartFault(
    `The account of DATABASE_URL may not make schemas and accounts (${code}). Give one that may, or unset DATABASE_URL so that a server is brought.`,
  );
}
