/** A figure with what it was aimed at, and the table of them. */
export interface Figure {
  what: string;
  value: string;
  aim: string;
  /** Null where there is no aim. */
  met: boolean | null;
}

export function printTable(figures: readonly Figure[]): void {
  const width = Math.max(...figures.map(({ what }) => what.length));
  const valueWidth = Math.max(...figures.map(({ value }) => value.length));
  for (const { what, value, aim, met } of figures) {
    const verdict = met === null ? '' : met ? '  met' : '  MISSED';
    process.stdout.write(`${what.padEnd(width)}  ${value.padStart(valueWidth)}  ${aim}${verdict}\n`);
  }
}

/** `share` of the sorted values lie at or below it. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

export function atMost(what: string, value: number, limit: number, unit: string): Figure {
  return { what, value: `${value.toFixed(1)} ${unit}`, aim: `≤ ${limit} ${unit}`, met: value <= limit };
}
