/** `TARGET_DATABASE_URL` as connection options. Only what is listed here is taken from it. Pure. */
import type { ConnectionOptions, SslOptions } from 'mysql2';

const PARAMETERS = new Set(['socketPath', 'ssl', 'ssl-mode']);
const DEFAULT_PORT = 3306;

export interface TargetUrl {
  connection: ConnectionOptions;
  /** The URL's path; undefined when it names none. */
  database: string | undefined;
}

function sslOptions(parameters: URLSearchParams): SslOptions | undefined {
  const mode = (parameters.get('ssl-mode') ?? parameters.get('ssl') ?? 'disabled').toLowerCase();
  switch (mode) {
    case 'disabled':
    case 'false':
    case '0':
      return undefined;
    case 'required':
      return { rejectUnauthorized: false };
    case 'true':
    case '1':
    case 'verify_ca':
    case 'verify_identity':
      return { rejectUnauthorized: true };
    default:
      throw new RangeError('ssl-mode must be disabled, required, verify_ca or verify_identity');
  }
}

/**
 * `mysql://user:password@host:port/database?socketPath=…&ssl-mode=…`.
 * @throws {RangeError} when the URL cannot be read or has other parameters; its message holds no part of the URL but
 * parameter names.
 */
export function readTargetUrl(text: string): TargetUrl {
  if (!URL.canParse(text)) throw new RangeError('the URL of the target database cannot be read');
  const url = new URL(text);
  const unknown = [...url.searchParams.keys()].filter((name) => !PARAMETERS.has(name));
  if (unknown.length > 0)
    throw new RangeError(`the URL of the target database has unknown parameters: ${unknown.join(', ')}`);
  const ssl = sslOptions(url.searchParams);
  const socketPath = url.searchParams.get('socketPath');
  const database = decodeURIComponent(url.pathname.replace(/^\//, ''));
  return {
    database: database === '' ? undefined : database,
    connection: {
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      ...(socketPath === null
        ? {
            host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
            port: url.port === '' ? DEFAULT_PORT : Number(url.port),
          }
        : { socketPath }),
      ...(ssl === undefined ? {} : { ssl }),
    },
  };
}
