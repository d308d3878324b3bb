/**
 * The frame around every request: an ID on request and answer, the security headers, the signal of the connection's
 * end, and one log line that holds neither query strings nor bodies (SE-1).
 */
import { randomUUID } from 'node:crypto';
import type { Logger } from '../../shared/ports/logger.js';
import type { ApiMiddleware } from '../api-context.js';

/** What a client may bring as `X-Request-Id`; anything else is replaced. */
const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;

const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Cache-Control': 'no-store',
};

export function requestFrame(log: Logger): ApiMiddleware {
  return async (ctx, next) => {
    const brought = ctx.get('X-Request-Id');
    ctx.state.requestId = REQUEST_ID.test(brought) ? brought : randomUUID();
    const closed = new AbortController();
    ctx.res.once('close', () => closed.abort());
    if (ctx.res.destroyed) closed.abort();
    ctx.state.closed = closed.signal;
    ctx.set('X-Request-Id', ctx.state.requestId);
    ctx.set(SECURITY_HEADERS);
    const began = performance.now();
    try {
      await next();
    } finally {
      log.info(
        {
          requestId: ctx.state.requestId,
          method: ctx.method,
          route: routeOf(ctx),
          status: ctx.status,
          ms: Math.round(performance.now() - began),
        },
        'request',
      );
    }
  };
}

/** The route's pattern; a path that matched none is a caller's own words and stays out of the log. */
function routeOf(ctx: object): string {
  const { _matchedRoute: matched } = ctx as { _matchedRoute?: unknown };
  return typeof matched === 'string' ? matched : 'none';
}
