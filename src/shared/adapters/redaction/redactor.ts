/**
 * {@link Redact}: secrets in any text become typed marks (SE-2). Own rules, because the detector sets on offer are
 * asynchronous, report instead of replacing, or need a newer Node; each rule here has its test.
 *
 * Addresses, hosts, e-mail addresses, UUIDs, hashes and request IDs are evidence and stay. All rules are linear in the
 * text's length.
 */
import type { Redact } from '../../ports/redactor.js';
import { redactNamed } from './named-secrets.js';
import { TOKEN_RULES, type TokenRule } from './token-rules.js';

const KEY_BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const MAX_PASSES = 8;
const NAME_HINT = /pass|pwd|secret|key|token|credential/i;

/** A block that is cut off hides everything after its beginning. */
function redactPrivateKeys(text: string): string {
  if (!text.includes('PRIVATE KEY')) return text;
  let out = '';
  let copied = 0;
  KEY_BEGIN.lastIndex = 0;
  for (let begin = KEY_BEGIN.exec(text); begin !== null; begin = KEY_BEGIN.exec(text)) {
    KEY_END.lastIndex = KEY_BEGIN.lastIndex;
    const end = KEY_END.exec(text) === null ? text.length : KEY_END.lastIndex;
    out += `${text.slice(copied, begin.index)}[redacted:private_key]`;
    copied = end;
    KEY_BEGIN.lastIndex = end;
  }
  return out + text.slice(copied);
}

function applyRule(text: string, rule: TokenRule): string {
  if (!rule.hints.some((hint) => text.includes(hint))) return text;
  return text.replace(rule.pattern, (match: string, ...rest: unknown[]) => {
    const groups = rest.at(-1);
    const named =
      typeof groups === 'object' && groups !== null ? (groups as { secret?: string }).secret : undefined;
    const secret = named ?? match;
    if (secret.startsWith('[redacted:') || rule.fits?.(secret) === false) return match;
    return `${match.slice(0, match.length - secret.length)}[redacted:${rule.kind}]`;
  });
}

function redactOnce(text: string): string {
  let shown = redactPrivateKeys(text);
  for (const rule of TOKEN_RULES) shown = applyRule(shown, rule);
  return NAME_HINT.test(shown) ? redactNamed(shown) : shown;
}

export function createRedactor(): Redact {
  return (text) => {
    let shown = redactOnce(text);
    // A mark may lay bare the beginning of a secret that stood right against the one it replaced.
    for (let pass = 1, before = text; shown !== before && pass < MAX_PASSES; pass++) {
      before = shown;
      shown = redactOnce(shown);
    }
    return shown;
  };
}
