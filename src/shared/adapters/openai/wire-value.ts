/** Reading JSON whose shape nobody vouches for: a field of another type than expected counts as missing. Pure. */
export type WireObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A count that fits into a column; anything else is unknown. */
export function countOf(value: unknown): number | null {
  const fits = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
  return fits && value <= 2_147_483_647 ? value : null;
}
