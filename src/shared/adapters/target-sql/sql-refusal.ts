/** Why a statement is not run. */
export interface SqlRefusal {
  ok: false;
  /** `DENIED`: policy forbids it. `INVALID_ARGUMENTS`: it cannot be read, or says nothing that a server could run. */
  code: 'DENIED' | 'INVALID_ARGUMENTS';
  message: string;
}

export function denied(message: string): SqlRefusal {
  return { ok: false, code: 'DENIED', message };
}

export function invalid(message: string): SqlRefusal {
  return { ok: false, code: 'INVALID_ARGUMENTS', message };
}
