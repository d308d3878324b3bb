/** Who a request says it is from (RFC 6750, RFC 7617), and whether a browser sent it from our own pages. Pure. */

export interface Credentials {
  scheme: 'bearer' | 'basic';
  token: string;
}

const MAX_HEADER_CHARACTERS = 2048;

/** Null without a usable `Authorization` header. With Basic the token is the password; the user name says nothing. */
export function readCredentials(header: string | undefined): Credentials | null {
  if (header === undefined || header.length > MAX_HEADER_CHARACTERS) return null;
  const [, scheme = '', value = ''] = /^([A-Za-z]+) +([A-Za-z0-9\-._~+/]+=*)$/.exec(header.trim()) ?? [];
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return { scheme: 'bearer', token: value };
    case 'basic': {
      const text = Buffer.from(value, 'base64').toString('utf8');
      const colon = text.indexOf(':');
      const token = text.slice(colon + 1);
      return colon === -1 || token === '' ? null : { scheme: 'basic', token };
    }
    default:
      return null;
  }
}

export interface OriginHeaders {
  host: string | undefined;
  origin: string | undefined;
  secFetchSite: string | undefined;
}

/**
 * A browser adds Basic credentials to any request, whoever's page makes it: a write with them counts only when the
 * browser says that it comes from this origin. Hosts are compared without the scheme, which a TLS proxy changes.
 */
export function isSameOrigin({ host, origin, secFetchSite }: OriginHeaders): boolean {
  if (secFetchSite === undefined && origin === undefined) return false;
  if (secFetchSite !== undefined && secFetchSite !== 'same-origin') return false;
  if (origin === undefined) return true;
  return host !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
