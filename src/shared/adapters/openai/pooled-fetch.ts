/**
 * `fetch` over a connection pool of its own: bounded, reused between calls, and closed with its owner; the built-in one
 * is neither. It knows no timeouts but that of connecting: a call has its own clock. A redirect is an answer like any
 * other, since following it would be a second attempt (RT-1); the body of an error is neither read nor kept.
 */
import { Agent, fetch as send, Response as Answer, type RequestInit as SendInit } from 'undici';

const MAX_CONNECTIONS = 256;
const CONNECT_TIMEOUT_MS = 10_000;

export interface PooledFetch {
  fetch: typeof fetch;
  /** Ends what is open. */
  close(): Promise<void>;
}

export function createPooledFetch(): PooledFetch {
  const agent = new Agent({
    connections: MAX_CONNECTIONS,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });
  const pooled = async (url: string, init: SendInit): Promise<Answer> => {
    const answer = await send(url, { ...init, redirect: 'manual', dispatcher: agent });
    if (answer.ok) return answer;
    answer.body?.cancel().catch(() => undefined);
    return new Answer(null, { status: answer.status, headers: answer.headers });
  };
  // The same interface by another hand: the built-in fetch and this one are the same program in two versions.
  return { fetch: pooled as unknown as typeof fetch, close: () => agent.destroy() };
}
