/**
 * Who calls: a token by `Authorization: Bearer`, or as the password of HTTP Basic for browsers. Tokens are looked up by
 * their SHA-256; an answer is kept for two seconds, so a revoked token is dead within that time.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { ROLES, type Caller, type Role, type TokenStore } from '../../shared/ports/access.js';
import type { Clock } from '../../shared/ports/clock.js';
import type { ApiContext } from '../api-context.js';
import { ApiProblem } from '../http/api-problem.js';
import { isSameOrigin, readCredentials } from '../http/credentials.js';

const REMEMBER_MS = 2000;
const MAX_REMEMBERED = 1000;
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** A caller, and the question whether its token still counts (streams ask it at each heartbeat). */
export interface Authenticated {
  caller: Caller;
  /** @throws {StoreUnavailable} */
  stillValid(): Promise<boolean>;
}

/** The request as authentication sees it. */
export type AuthRequest = Pick<ApiContext, 'get' | 'method' | 'accepts'>;

export interface Authenticator {
  /** @throws {ApiProblem} 401, or 403 for a role too low and for a write from another origin. @throws {StoreUnavailable} */
  require(request: AuthRequest, role: Role): Promise<Authenticated>;
}

export interface AuthenticatorDeps {
  tokens: Pick<TokenStore, 'find'>;
  /** A token with role `admin` that exists from start. */
  adminToken: string | undefined;
  clock: Clock;
}

export function createAuthenticator(deps: AuthenticatorDeps): Authenticator {
  const find = createTokenLookup(deps);
  return {
    require: async (request, role) => {
      const credentials = readCredentials(request.get('Authorization') || undefined);
      const caller = credentials === null ? null : await find(credentials.token);
      if (credentials === null || caller === null) throw unauthenticated(request);
      if (ROLES.indexOf(caller.role) < ROLES.indexOf(role))
        throw new ApiProblem('FORBIDDEN', `This needs the role ${role}; the token has ${caller.role}.`);
      if (credentials.scheme === 'basic' && !SAFE_METHODS.includes(request.method) && !fromOwnPages(request))
        throw new ApiProblem(
          'FORBIDDEN',
          'With HTTP Basic a write must come from this origin; use a Bearer token.',
        );
      return { caller, stillValid: async () => (await find(credentials.token)) !== null };
    },
  };
}

function createTokenLookup(deps: AuthenticatorDeps): (token: string) => Promise<Caller | null> {
  const admin = deps.adminToken === undefined ? null : sha256(deps.adminToken);
  const remembered = new Map<string, { caller: Caller; until: number }>();
  return async (token) => {
    const digest = sha256(token);
    if (admin !== null && timingSafeEqual(digest, admin)) return { principal: 'admin', role: 'admin' };
    const hash = digest.toString('hex');
    const now = deps.clock.now();
    const known = remembered.get(hash);
    if (known !== undefined && now.getTime() < known.until) return known.caller;
    remembered.delete(hash);
    const caller = await deps.tokens.find(hash, now);
    if (caller === null) return null;
    // Insertion order is age: the oldest makes room.
    const oldest = remembered.size >= MAX_REMEMBERED ? remembered.keys().next().value : undefined;
    if (oldest !== undefined) remembered.delete(oldest);
    remembered.set(hash, { caller, until: now.getTime() + REMEMBER_MS });
    return caller;
  };
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest();

function fromOwnPages(request: AuthRequest): boolean {
  return isSameOrigin({
    host: request.get('Host') || undefined,
    origin: request.get('Origin') || undefined,
    secFetchSite: request.get('Sec-Fetch-Site') || undefined,
  });
}

/** Only a reader of pages is asked for Basic: the browser's own dialogue must not pop up under a program's request. */
function unauthenticated(request: AuthRequest): ApiProblem {
  const scheme = request.accepts('json', 'html') === 'html' ? 'Basic' : 'Bearer';
  return new ApiProblem(
    'UNAUTHENTICATED',
    'Send a token that is known and not revoked: Authorization: Bearer <token>.',
    {
      headers: { 'WWW-Authenticate': `${scheme} realm="sworn"` },
    },
  );
}
