/**
 * Information saturation (contract §4): new evidence is a READY projection whose content and scope the Run has not seen;
 * an identical call returns the invocation that it already has.
 */
import type { Projection } from '../contracts/tools/catalogue.js';
import { canonicalJson } from '../guards/canonical-json.js';

/** What makes evidence the same: all but the call's own ID and the moment at which it ran. */
export function evidenceKey(projection: Projection): string {
  const { tool_call_id: _id, ...rest } = projection;
  if (rest.tool !== 'mysql_query') return canonicalJson(rest);
  const { executed_at: _at, ...content } = rest;
  return canonicalJson(content);
}

export interface PastCall {
  call: number;
  tool: string;
  /** Canonical JSON. */
  arguments: string;
  status: string;
  repeatsCall: number | null;
}

/** The READY call with the same tool and arguments; failed ones may be tried again. */
export function findRepeat<T extends PastCall>(
  call: { tool: string; arguments: string },
  past: readonly T[],
): T | null {
  return (
    past.find(
      (earlier) =>
        earlier.status === 'READY' &&
        earlier.repeatsCall === null &&
        earlier.tool === call.tool &&
        earlier.arguments === call.arguments,
    ) ?? null
  );
}

/**
 * How many rounds in a row, up to the last, added no new evidence. `rounds` holds for each committed round the keys of
 * its READY projections.
 */
export function roundsWithoutNews(rounds: readonly (readonly string[])[]): number {
  const seen = new Set<string>();
  let barren = 0;
  for (const keys of rounds) {
    const before = seen.size;
    for (const key of keys) seen.add(key);
    barren = seen.size > before ? 0 : barren + 1;
  }
  return barren;
}
