/** Who may do what with a session (contract §2). Pure. A session that one may not read does not exist for one. */
import type { Caller } from '../../shared/ports/access.js';
import type { SessionRow } from '../../shared/ports/run-intake.js';
import { ApiProblem, notFound } from '../http/api-problem.js';

type Session = Pick<SessionRow, 'principal' | 'visibility'>;

export function mayRead(caller: Caller, session: Session): boolean {
  return caller.role === 'admin' || session.principal === caller.principal || session.visibility === 'shared';
}

/** @throws {ApiProblem} 404 */
export function requireReadable<T extends Session>(caller: Caller, session: T | null, what: string): T {
  if (session === null || !mayRead(caller, session)) throw notFound(`There is no such ${what}.`);
  return session;
}

/**
 * A private session is continued by its owner alone: an admin reads it, and would write in another's name.
 * @throws {ApiProblem} 404 or 403
 */
export function requireContinuable(caller: Caller, session: SessionRow): void {
  requireReadable(caller, session, 'session');
  if (session.principal !== caller.principal && session.visibility === 'private')
    throw new ApiProblem('FORBIDDEN', 'A private session is continued by its owner alone.');
}
