/** Liveness, readiness, and a word for whoever opens the root. */
import { z } from 'zod';
import type { ApiDeps } from '../deps.js';
import { unavailable } from '../http/api-problem.js';
import { defineRoute, type Route } from './route.js';

const Health = z.strictObject({ status: z.literal('ok') });
/** An open route must not become a lever on the stores: one check serves all who ask within this time. */
const REMEMBER_MS = 1000;
const CHECK_TIMEOUT_MS = 3000;

export function healthRoutes(deps: Pick<ApiDeps, 'ready' | 'clock'>): Route[] {
  const ready = sharedCheck(deps);
  const answers = { 200: { description: 'Yes', content: [Health] } };
  return [
    defineRoute({
      method: 'get',
      path: '/healthz',
      operationId: 'liveness',
      summary: 'The process answers',
      role: null,
      answers,
      handle: () => Promise.resolve({ status: 200, body: { status: 'ok' } }),
    }),
    defineRoute({
      method: 'get',
      path: '/readyz',
      operationId: 'readiness',
      summary: 'The stores are in reach and the database is current',
      role: null,
      answers,
      handle: async () => {
        if (!(await ready())) throw unavailable('Not ready.');
        return { status: 200, body: { status: 'ok' } };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/',
      operationId: 'root',
      summary: 'Where to go',
      role: null,
      answers: { 200: { description: 'A pointer', content: ['text'] } },
      handle: () =>
        Promise.resolve({
          status: 200,
          body: 'sworn: incident diagnosis that says only what its evidence supports.\nThe interface: /api/openapi.json\n',
        }),
    }),
  ];
}

function sharedCheck(deps: Pick<ApiDeps, 'ready' | 'clock'>): () => Promise<boolean> {
  let latest: { at: number; outcome: Promise<boolean> } | null = null;
  return () => {
    const now = deps.clock.now().getTime();
    if (latest === null || now - latest.at >= REMEMBER_MS) latest = { at: now, outcome: bounded(deps.ready) };
    return latest.outcome;
  };
}

/** Never rejects: a check that fails or hangs says no. */
async function bounded(check: () => Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), CHECK_TIMEOUT_MS);
  });
  try {
    return await Promise.race([check(), late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
