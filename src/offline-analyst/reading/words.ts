/**
 * Words and their stems: crude, the same for every text, so that "payments" in a question meets `payment` in a schema.
 * A stem is for comparing only and is never shown.
 */

const IRREGULAR: Readonly<Record<string, string>> = {
  paid: 'pay',
  sold: 'sell',
  spent: 'spend',
  sent: 'send',
  lost: 'lose',
  indices: 'index',
};

/** Lower-case words of letters and digits; names such as `orders_total` or `OpenStack_2k` give their parts too. */
export function wordsOf(text: string): string[] {
  const whole = split(text);
  const parts = partsOf(text);
  return parts.length === whole.length ? whole : [...new Set([...whole, ...parts])];
}

/** The parts of a name alone: `OpenStack_2k` is `open`, `stack` and `2k`. */
export function partsOf(name: string): string[] {
  return split(name.replace(/([a-z\d])([A-Z][a-z])/g, '$1 $2'));
}

function split(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

export function stem(word: string): string {
  const lower = word.toLowerCase();
  return IRREGULAR[lower] ?? withoutEnding(singular(lower));
}

/** Stems of all words of a text, each once. */
export function stemsOf(text: string): Set<string> {
  return new Set(wordsOf(text).map(stem));
}

function singular(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith('s') && !/(?:ss|us|is)$/.test(word)) return word.slice(0, -1);
  return word;
}

function withoutEnding(word: string): string {
  if (word.length > 6 && word.endsWith('ment')) return word.slice(0, -4);
  if (word.length > 5 && word.endsWith('ing')) return undouble(word.slice(0, -3));
  if (word.length > 4 && word.endsWith('ed')) return undouble(word.slice(0, -2));
  if (word.length > 6 && word.endsWith('ure')) return word.slice(0, -3);
  if (word.length > 4 && word.endsWith('e')) return word.slice(0, -1);
  return word;
}

/** `runn` → `run`, while `pass` keeps both. */
function undouble(word: string): string {
  return /([bdgklmnprt])\1$/.test(word) && word.length > 3 ? word.slice(0, -1) : word;
}

/** True when `name` stands in `text` and is not a part of a longer identifier; letter case does not count. */
export function namesWhole(text: string, name: string): boolean {
  const haystack = text.toLowerCase();
  const needle = name.toLowerCase();
  if (needle === '') return false;
  for (let at = haystack.indexOf(needle); at !== -1; at = haystack.indexOf(needle, at + 1)) {
    if (!isWordCharacter(haystack.charAt(at - 1)) && !isWordCharacter(haystack.charAt(at + needle.length)))
      return true;
  }
  return false;
}

function isWordCharacter(character: string): boolean {
  return /^[a-z0-9_]$/.test(character);
}
