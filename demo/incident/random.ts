/** A small seeded generator of pseudo-random numbers: the same seed gives the same incident, byte for byte. */

export interface Random {
  /** In [0, 1). */
  next(): number;
  /** Whole, both ends included. */
  int(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly [T, ...T[]]): T;
  /** Lower-case hexadecimal digits. */
  hex(digits: number): string;
}

/**
 * @param seed any text: each part of the incident draws from a stream of its own, so that a change in one leaves the
 * others as they were.
 */
export function createRandom(seed: string): Random {
  let state = hash(seed);
  // A Weyl sequence with a mixing step (the construction of SplitMix, in 32 bits).
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
  const int = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: (list) => list[int(0, list.length - 1)] ?? list[0],
    hex: (digits) => Array.from({ length: digits }, () => int(0, 15).toString(16)).join(''),
  };
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193) >>> 0;
  return value;
}

/** Times of something that happens by itself: about every `meanMs`, never at once, within [from, to). */
export function recurring(random: Random, from: number, to: number, meanMs: number): number[] {
  const times: number[] = [];
  for (let at = from + random.int(0, meanMs); at < to; at += Math.round(meanMs * (0.4 + 1.2 * random.next())))
    times.push(at);
  return times;
}
