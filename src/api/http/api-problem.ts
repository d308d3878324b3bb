/**
 * Errors that a caller is told about, as RFC 9457 problem details. Handlers throw; one middleware answers. A program
 * reads `code`, people `detail`.
 */
import type { z } from 'zod';
import { PROBLEMS, type Problem, type ProblemCode } from '../../shared/domain/contracts/problem.js';
import { StoreUnavailable } from '../../shared/ports/errors.js';

/** One fault of a request: `path` names the field (`window.from`, `Last-Event-ID`), empty for the whole body. */
export interface FieldFault {
  path: string;
  message: string;
}

export interface ProblemExtras {
  headers?: Readonly<Record<string, string>>;
  faults?: readonly FieldFault[];
}

export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly headers: Readonly<Record<string, string>>;
  readonly faults: readonly FieldFault[];

  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    extras: ProblemExtras = {},
  ) {
    super(`${code}: ${detail}`);
    this.headers = extras.headers ?? {};
    this.faults = extras.faults ?? [];
  }

  get status(): number {
    return PROBLEMS[this.code][0];
  }

  get body(): Problem {
    const [status, title] = PROBLEMS[this.code];
    return {
      type: 'about:blank',
      status,
      title,
      detail: this.detail,
      code: this.code,
      ...(this.faults.length > 0 ? { errors: [...this.faults] } : {}),
    };
  }
}

/** Seconds after which a refused caller may try again. */
const RETRY_AFTER_S = '5';
const MAX_FAULTS = 50;
const MAX_FAULT_CHARACTERS = 200;

export const notFound = (what: string): ApiProblem => new ApiProblem('NOT_FOUND', what);

export function unavailable(detail: string): ApiProblem {
  return new ApiProblem('UNAVAILABLE', detail, { headers: { 'Retry-After': RETRY_AFTER_S } });
}

export function queueFull(limit: number): ApiProblem {
  return new ApiProblem('QUEUE_FULL', `${limit} Runs are waiting already; try again later.`, {
    headers: { 'Retry-After': RETRY_AFTER_S },
  });
}

export function invalidRequest(faults: readonly FieldFault[]): ApiProblem {
  const shown = faults.slice(0, MAX_FAULTS).map(({ path, message }) => ({
    path: path.slice(0, MAX_FAULT_CHARACTERS),
    message: message.slice(0, MAX_FAULT_CHARACTERS),
  }));
  const first = shown[0];
  const detail = first === undefined ? 'The request does not fit.' : sentence(first);
  return new ApiProblem('INVALID_REQUEST', detail, { faults: shown });
}

function sentence({ path, message }: FieldFault): string {
  return path === '' ? `${message}.` : `${path}: ${message}.`;
}

/** Every fault that a schema found, each with the path of its field; an unknown field is named by its own path. */
export function faultsOf(error: z.ZodError): FieldFault[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path.map(String);
    if (issue.code !== 'unrecognized_keys') return [{ path: path.join('.'), message: issue.message }];
    return issue.keys.map((key) => ({ path: [...path, key].join('.'), message: 'unknown field' }));
  });
}

/** What a thrown value is to the caller. `null`: a fault of ours, of which the caller learns the request ID alone. */
export function asProblem(error: unknown): ApiProblem | null {
  if (error instanceof ApiProblem) return error;
  if (error instanceof StoreUnavailable)
    return unavailable(`${error.what} is out of reach; try again later.`);
  return null;
}

export function internalProblem(requestId: string): ApiProblem {
  return new ApiProblem('INTERNAL', `The fault is in the server's log under request ${requestId}.`);
}
