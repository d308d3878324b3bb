/** The API's settings from the environment. */
import type { Env } from '../shared/runtime/env.js';
import type { ApiSettings } from './deps.js';

const MAX_STREAMS = 10_000;

export function apiSettings(env: Env): ApiSettings {
  return {
    adminToken: env.ADMIN_TOKEN,
    maxQueuedRuns: env.MAX_QUEUED_RUNS,
    defaultWindowMinutes: env.DEFAULT_WINDOW_MINUTES,
    sessionVisibility: env.SESSION_VISIBILITY,
    heartbeatMs: env.HEARTBEAT_MS,
    disconnectGraceMs: env.DISCONNECT_GRACE_MS,
    maxStreams: MAX_STREAMS,
    checkAnswers: env.NODE_ENV === 'test',
  };
}
