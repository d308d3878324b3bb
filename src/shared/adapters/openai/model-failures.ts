/** Faults of the endpoint in the port's words, told apart by status and class; bodies and keys are never repeated. */
import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from 'openai';
import type { ModelFailure } from '../../ports/model-client.js';

const MAX_RETRY_AFTER_MS = 10 * 60 * 1000;
/** 4xx that another attempt may mend (the retry inventory). */
const TRANSIENT = new Set([408, 409, 429]);

const HINTS: Readonly<Record<number, string>> = {
  400: 'the endpoint does not take this request; check OPENAI_MODEL and MODEL_JSON',
  401: 'the key is not accepted; check OPENAI_API_KEY',
  403: 'the key may not do this; check OPENAI_API_KEY and OPENAI_MODEL',
  404: 'no such path or model; check OPENAI_BASE_URL and OPENAI_MODEL',
  422: 'the endpoint does not take this request; check OPENAI_MODEL and MODEL_JSON',
};

/** @param where the endpoint's host, for the operator. */
export function failureOf(error: unknown, where: string): ModelFailure {
  if (error instanceof APIUserAbortError)
    return { kind: 'cancelled', detail: `${where}: the call was aborted` };
  if (error instanceof APIConnectionTimeoutError)
    return { kind: 'timeout', detail: `${where}: no answer in time` };
  if (error instanceof APIConnectionError)
    return { kind: 'transport', detail: `${where}: ${connectionCode(error)}; check OPENAI_BASE_URL` };
  if (error instanceof APIError)
    return statusFailure({ status: error.status as unknown, headers: error.headers as unknown }, where);
  return { kind: 'transport', detail: `${where}: the answer could not be read` };
}

function statusFailure(error: { status: unknown; headers: unknown }, where: string): ModelFailure {
  const { status } = error;
  if (typeof status !== 'number')
    return { kind: 'transport', detail: `${where}: an error came instead of an answer` };
  const hint = HINTS[status];
  const detail = `${where}: status ${status}${hint === undefined ? '' : `; ${hint}`}`;
  if (status < 500 && status >= 400 && !TRANSIENT.has(status)) return { kind: 'rejected', detail };
  const wait = retryAfterMs(error.headers);
  return { kind: 'transport', detail, ...(wait === null ? {} : { retryAfterMs: wait }) };
}

/** `Retry-After` in seconds or as a date (RFC 9110 §10.2.3), bounded. */
function retryAfterMs(headers: unknown): number | null {
  if (!(headers instanceof Headers)) return null;
  const text = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Math.min(Number(text) * 1000, MAX_RETRY_AFTER_MS);
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.min(Math.max(0, date - Date.now()), MAX_RETRY_AFTER_MS);
}

/** e.g. `ECONNREFUSED`, from however deep it stands. */
function connectionCode(error: Error): string {
  for (
    let cause: unknown = error, depth = 0;
    cause instanceof Error && depth < 5;
    cause = cause.cause, depth += 1
  ) {
    const { code } = cause as { code?: unknown };
    if (typeof code === 'string') return code;
  }
  return 'the connection failed';
}
