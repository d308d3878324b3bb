/** Named values in free text: `name=value`, `name: value`, `"name":"value"`. Pure, linear in the text. */

const NAME = /^[A-Za-z0-9_.@-]{1,64}$/;
const patterns = new Map<string, RegExp>();
const MAX_PATTERNS = 64;

function patternOf(name: string): RegExp {
  const known = patterns.get(name);
  if (known !== undefined) return known;
  const escaped = name.replace(/[.@-]/g, '\\$&');
  const made = new RegExp(
    `(?<![\\w.@-])["']?${escaped}["']?(?:=| ?: ?)(?:"([^"]{0,512})"|'([^']{0,512})'|([^\\s,;"')\\]}]{1,512}))`,
    'i',
  );
  if (patterns.size >= MAX_PATTERNS) patterns.clear();
  patterns.set(name, made);
  return made;
}

/** The first value that the text gives to the name. */
export function textField(text: string, name: string): string | undefined {
  if (!NAME.test(name)) return undefined;
  const match = patternOf(name).exec(text);
  return match?.[1] ?? match?.[2] ?? match?.[3];
}
