/**
 * Text as index terms: lower case, lightly stemmed English words without stop words, the parts of compound names beside
 * the names themselves (`KubePodCrashLooping` → that, kube, pod, crash, loop), and bigrams of Han, kana and hangul. Pure.
 */

const STOP_WORDS = new Set(
  (
    'a about above after again against all also am an and any anything are as at be because been before being below ' +
    'between both but by can cannot could did do does doing done down during each either else ever every few for from ' +
    'further get gets getting give go going got had has have having he her here hers him his how however i if in into is ' +
    'it its itself just know let like look make many may me might more most much must my need no nor not now of off ' +
    'often on once one only or other our ours out over own per please see she should show so some something such tell ' +
    'than that the their theirs them then there these they thing this those through to too under until up upon us use ' +
    'used using very via want was we were what whatever when where whether which while who whom whose why will with ' +
    'within without would yes yet you your yours ' +
    'best way ways step steps mean means meaning happen happens happening happened fix fixing fixed resolve resolving ' +
    'resolved handle handling deal dealing help explain describe find someone somebody anybody try trying say says ' +
    'right keep keeps kept come comes see seeing seen start'
  ).split(' '),
);

const WORD = /[\p{L}\p{N}\p{M}]+(?:[_'’][\p{L}\p{N}\p{M}]+)*/gu;
const EAST_ASIAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+/gu;
const CAMEL = /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lu}+|\p{N}+/gu;
const MAX_TERM_CHARS = 64;

/** Plurals, -ing and -ed off, as far as that is safe without a dictionary. */
export function stem(word: string): string {
  if (!/^[a-z]{4,}$/.test(word)) return word;
  let base = word;
  if (base.endsWith('ies') && base.length > 4) base = `${base.slice(0, -3)}y`;
  else if (/(?:ss|sh|ch|x|z)es$/.test(base)) base = base.slice(0, -2);
  else if (base.endsWith('s') && !/(?:ss|us|is)$/.test(base)) base = base.slice(0, -1);
  const bare = base.replace(/(?:ing|ed)$/, '');
  // What is left must be a word by its looks: three letters and a vowel.
  if (bare !== base && bare.length >= 3 && /[aeiouy]/.test(bare)) {
    base = /([bcdfgmnprt])\1$/.test(bare) ? bare.slice(0, -1) : bare;
  }
  return base.length > 4 && base.endsWith('e') ? base.slice(0, -1) : base;
}

export interface Compound {
  /** The whole name, lower case. */
  name: string;
  parts: string[];
}

export interface Terms {
  words: string[];
  compounds: Compound[];
}

function bigrams(run: string): string[] {
  const chars = Array.from(run);
  if (chars.length === 1) return chars;
  return chars.slice(1).map((char, i) => `${chars[i] ?? ''}${char}`);
}

function wordTerms(text: string): string[] {
  const lower = text.toLowerCase();
  return STOP_WORDS.has(lower) || lower.length > MAX_TERM_CHARS ? [] : [stem(lower)];
}

/** Parts of `camelCase`, `snake_case` and `abc123`; empty when the word is a plain one. */
function partsOf(word: string): string[] {
  const parts = word.match(CAMEL) ?? [];
  return parts.length > 1 ? parts.flatMap(wordTerms) : [];
}

/** The text's terms in order, with repetitions. */
export function readTerms(text: string): Terms {
  const terms: Terms = { words: [], compounds: [] };
  const western = text.normalize('NFKC').replace(EAST_ASIAN, (run) => {
    terms.words.push(...bigrams(run));
    return ' ';
  });
  for (const raw of western.match(WORD) ?? []) {
    const word = raw.replace(/['’](?:s|t|re|ve|ll|d|m)$/iu, '');
    const parts = partsOf(word);
    if (parts.length > 0 && word.length <= MAX_TERM_CHARS)
      terms.compounds.push({ name: word.toLowerCase().replace(/[_'’]/g, ''), parts });
    else terms.words.push(...wordTerms(word));
  }
  return terms;
}

/** All of them in one list: what an index holds. */
export function indexTerms(text: string): string[] {
  const { words, compounds } = readTerms(text);
  return [...words, ...compounds.flatMap(({ name, parts }) => [name, ...parts])];
}
