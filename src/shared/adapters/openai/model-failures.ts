/** Faults of the endpoint in the port's words, told apart by class, status and code; bodies and keys are never repeated. */
import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import type { ModelFailure } from '../../ports/model-client.js';
import type { BodyKind } from './answer-body.js';
import type { StopReason } from './call-clock.js';
import { retryAfterMs } from './retry-after.js';

/** 4xx that another attempt may mend (the retry inventory, RT-1). */
const TRANSIENT = new Set([408, 409, 429]);

const HINTS: ReadonlyMap<number, string> = new Map([
  [400, 'it does not take this request; check OPENAI_MODEL and MODEL_JSON'],
  [401, 'it does not accept the key; check OPENAI_API_KEY'],
  [402, 'the account has no credit; check OPENAI_API_KEY'],
  [403, 'the key may not do this; check OPENAI_API_KEY and OPENAI_MODEL'],
  [404, 'it knows no such path or model; check OPENAI_BASE_URL and OPENAI_MODEL'],
  [405, 'it takes no chat completions there; check OPENAI_BASE_URL'],
  [413, 'the request is too long for it; check OPENAI_MODEL'],
  [422, 'it does not take this request; check OPENAI_MODEL and MODEL_JSON'],
]);

/** @param where the endpoint's host, for the operator. */
export function stoppedFailure(reason: StopReason, where: string): ModelFailure {
  switch (reason) {
    case 'timeout':
      return { kind: 'timeout', detail: `${where}: no whole answer in time` };
    case 'idle':
      return { kind: 'timeout', detail: `${where}: the answer stopped coming` };
    case 'settled':
      return { kind: 'transport', detail: `${where}: the answer ended without a finish_reason` };
    case 'cancelled':
      return { kind: 'cancelled', detail: `${where}: the call was cancelled` };
  }
}

/** What answered is no chat-completions endpoint, and no retry makes it one. */
export function wrongBodyFailure(kind: Exclude<BodyKind, 'completion'>, where: string): ModelFailure {
  const came = { page: 'a web page', empty: 'an empty body', other: 'something else' }[kind];
  return {
    kind: 'rejected',
    detail: `${where}: ${came} came instead of a chat completion; check OPENAI_BASE_URL`,
  };
}

export function failureOf(error: unknown, where: string, nowMs: number): ModelFailure {
  if (error instanceof APIConnectionTimeoutError)
    return { kind: 'timeout', detail: `${where}: no connection in time; check OPENAI_BASE_URL` };
  if (error instanceof APIConnectionError)
    return { kind: 'transport', detail: `${where}: ${connectionFault(error)}; check OPENAI_BASE_URL` };
  if (error instanceof APIError) return statusFailure(error as EndpointError, where, nowMs);
  if (error instanceof Error && error.cause instanceof Error)
    return { kind: 'transport', detail: `${where}: the answer broke off, ${connectionFault(error)}` };
  return {
    kind: 'rejected',
    detail: `${where}: the request could not be made; check OPENAI_BASE_URL and OPENAI_API_KEY`,
  };
}

/** What of an `APIError` is read; its type leaves both open. */
interface EndpointError {
  status: unknown;
  headers: Headers | undefined;
}

function statusFailure({ status, headers }: EndpointError, where: string, nowMs: number): ModelFailure {
  if (typeof status !== 'number')
    return { kind: 'transport', detail: `${where}: an error came as the answer` };
  const hint = HINTS.get(status) ?? (status < 400 ? 'it sends elsewhere; check OPENAI_BASE_URL' : undefined);
  const detail = `${where}: status ${status}${hint === undefined ? '' : `; ${hint}`}`;
  if (status < 500 && !TRANSIENT.has(status)) return { kind: 'rejected', detail };
  const wait = retryAfterMs((name) => headers?.get(name) ?? null, nowMs);
  return { kind: 'transport', detail, ...(wait === null ? {} : { retryAfterMs: wait }) };
}

/** The code of the fault, e.g. `ECONNREFUSED`, from however deep it stands. */
function connectionFault(error: Error): string {
  let cause: unknown = error;
  for (let depth = 0; cause instanceof Error && depth < 5; depth += 1) {
    const { code } = cause as { code?: unknown };
    if (typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code)) return code;
    cause = cause.cause;
  }
  return 'the connection failed';
}
