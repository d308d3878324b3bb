/** One thing that was found, on its way to becoming an analysis of the Draft. */
import type { AnalysisKind } from '../../shared/domain/contracts/draft.js';

export interface Finding {
  /** `change` … `symptom` can stand in a chain of events; the others support or surround it. */
  role:
    'change' | 'slow' | 'lock' | 'symptom' | 'index' | 'figures' | 'background' | 'context' | 'checked_empty';
  kind: AnalysisKind;
  /** Every value in it stands in the results of `callIds`, those of one clause in one record. */
  text: string;
  callIds: readonly string[];
  /** The same in a clause, for a conclusion; holds no value that `text` does not. */
  short: string;
  /** When it began, as it stands in the evidence; null when that is not known. */
  first: string | null;
  /** Listed services and tables that it speaks of. */
  names: readonly string[];
}

export function normal(
  role: Finding['role'],
  fields: Omit<Finding, 'role' | 'kind' | 'first' | 'names' | 'short'> &
    Partial<Pick<Finding, 'first' | 'names' | 'short'>>,
): Finding {
  return { role, kind: 'NORMAL', first: null, names: [], short: '', ...fields };
}

/** A scoped negative (IV-5): that this search found nothing, and no more. */
export function checkedEmpty(text: string, callId: string, short = ''): Finding {
  return {
    role: 'checked_empty',
    kind: 'NEGATIVE_OBSERVATION',
    text,
    callIds: [callId],
    first: null,
    names: [],
    short,
  };
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(items: readonly string[]): string {
  return items.length < 2 ? (items[0] ?? '') : `${items.slice(0, -1).join(', ')} and ${items.at(-1) ?? ''}`;
}
