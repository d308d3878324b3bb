/**
 * Secrets that show by the name before them: `password=…`, `"api_key": "…"`, `client-secret: …`. The names are found by a
 * pattern of bounded reach; the value's end is found by walking, never backwards, so the work is linear on any input.
 */
import { looksRandom } from './token-rules.js';

const NAME =
  /(pass(?:word|wd|phrase|code)|pwd|(?:client|app|shared|consumer)[_-]?secret|secret[_-]?(?:access[_-]?)?key|secret|(?:api|access|account|private|encryption|signing)[_-]?key|(?:auth|access|refresh|session|id|api|bot|csrf|xsrf|reset|security)[_-]?token|token|credentials?)(?:[_-]?hash)?\\{0,2}["'`]?[ \t]{0,8}(=>|:=|==?|:)[ \t]{0,8}(\\{0,2}["'`])?/gi;
const UNQUOTED_END = new Set(' \t\r\n\f\v"\'`,;&)}]<>|\\');
/** Characters of a value that are looked at to judge it: what looks no secret by then is none. */
const JUDGED_CHARS = 512;
const MARK = '[redacted:';
/** Stands for a value, or says that there is none. */
const NO_VALUE =
  /^(?:null|none|nil|true|false|undefined|empty|yes|no|required|redacted|\W*|[xX]+|\$[A-Z_][A-Z0-9_]*|\$?\{[^}]*\}?|%[sdvq]|%\([a-z_]+\)s?)$/i;

interface Found {
  name: string;
  separator: string;
  quoted: boolean;
  value: string;
  /** True when nothing but the end of the line or a delimiter follows. */
  ends: boolean;
}

function kindOf(name: string): string {
  const plain = name.toLowerCase();
  if (plain.startsWith('pass') || plain === 'pwd') return 'password';
  if (plain.endsWith('token')) return 'token';
  return plain.endsWith('key') && !plain.startsWith('secret') ? 'api_key' : 'secret';
}

function isSecret({ name, separator, quoted, value, ends }: Found): boolean {
  if (value.includes(MARK) || NO_VALUE.test(value)) return false;
  const assigned = quoted || separator !== ':';
  switch (kindOf(name)) {
    case 'password':
      if (name.toLowerCase() === 'pwd' && /^(?:[/~]|[A-Za-z]:)/.test(value)) return false;
      // `password: see the manual` is prose, `password: hunter2` is not.
      return assigned ? value.length >= 2 : value.length >= 4 && (ends || /[^A-Za-z.]/.test(value));
    case 'token':
      if (name.toLowerCase() === 'token')
        return value.length >= 16 && /\d/.test(value) && /[A-Za-z]/.test(value);
      return value.length >= 8 && (quoted || /\d/.test(value));
    default:
      return value.length >= 6 && (assigned || looksRandom(value) || (ends && /\d/.test(value)));
  }
}

/** True when the line, or a list or object in it, ends here: what follows is no further word of a sentence. */
function isEnd(text: string, at: number): boolean {
  return !/^[ \t]+[^ \t\r\n]/.test(text.slice(at, at + 8));
}

/** Where the value that begins at `from` ends, looked for up to `limit`; a quote that nobody closes ends with its line. */
function valueEnd(text: string, from: number, limit: number, quote: string | undefined): number {
  const escaped = quote !== undefined && quote.length > 1;
  for (let at = from; at < limit; at++) {
    const char = text.charAt(at);
    if (quote === undefined ? UNQUOTED_END.has(char) : char === '\n') return at;
    if (quote === undefined) continue;
    if (escaped ? text.startsWith(quote, at) : char === quote) return at;
    if (!escaped && char === '\\') at++;
  }
  return Math.min(limit, text.length);
}

export function redactNamed(text: string): string {
  let out = '';
  let copied = 0;
  NAME.lastIndex = 0;
  for (let match = NAME.exec(text); match !== null; match = NAME.exec(text)) {
    const [, name = '', separator = '', quote] = match;
    const from = NAME.lastIndex;
    const judged = valueEnd(text, from, Math.min(text.length, from + JUDGED_CHARS), quote);
    const value = text.slice(from, judged);
    if (!isSecret({ name, separator, quoted: quote !== undefined, value, ends: isEnd(text, judged) }))
      continue;
    out += `${text.slice(copied, from)}${MARK}${kindOf(name)}]`;
    copied = judged < from + JUDGED_CHARS ? judged : valueEnd(text, judged, text.length, quote);
    NAME.lastIndex = copied;
  }
  return copied === 0 ? text : out + text.slice(copied);
}
