/** Path and query parameters that several routes share. */
import { z } from 'zod';
import { RunId, SessionId } from '../../shared/domain/contracts/ids.js';
import type { HeaderDeclaration } from './route.js';

export const RunPath = z.strictObject({ runId: RunId });
export const SessionPath = z.strictObject({ sessionId: SessionId });

const PAGE_LIMIT = { max: 100, default: 20 } as const;

/** `before`: the last item of the page before, exclusive. */
export const PageQuery = z.strictObject({
  limit: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, `must be a whole number from 1 to ${PAGE_LIMIT.max}`)
    .transform(Number)
    .pipe(z.number().max(PAGE_LIMIT.max, `must be at most ${PAGE_LIMIT.max}`))
    .default(PAGE_LIMIT.default),
  before: RunId.optional(),
});

export const PREFER_WAIT: HeaderDeclaration = {
  name: 'Prefer',
  description: '`wait=N`: wait up to N seconds (at most 120) for the end (RFC 7240)',
};
