/**
 * Stands in front of the queues' dashboard, which authenticates nobody by itself: an operator reads, an admin acts (FL-6).
 * The dashboard is reached through here alone, so no spelling of a path leads around the guard.
 */
import type { ApiMiddleware } from '../api-context.js';
import type { Authenticator } from './authenticate.js';

export const DASHBOARD_PATH = '/admin/queues';

const READING: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** Its pages are scripts and styles of its own; nothing is loaded from elsewhere. */
const PAGE_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; base-uri 'self'; form-action 'self'; frame-ancestors 'none'";

export function guardDashboard(dashboard: ApiMiddleware, authenticator: Authenticator): ApiMiddleware {
  return async (ctx, next) => {
    if (ctx.path !== DASHBOARD_PATH && !ctx.path.startsWith(`${DASHBOARD_PATH}/`)) {
      await next();
      return;
    }
    await authenticator.require(ctx, READING.includes(ctx.method) ? 'operator' : 'admin');
    ctx.set('Content-Security-Policy', PAGE_POLICY);
    await dashboard(ctx, next);
  };
}
