/** Characters that leave no mark on a page: white space, controls, format characters, fillers, lone surrogates. */
const INVISIBLE =
  /^[\s\p{Cc}\p{Cf}\p{Cs}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0]*$/u;

/** True when a reader would see nothing. A zero-width space is no text (EG-1, KQ-2). */
export function isBlank(text: string): boolean {
  return INVISIBLE.test(text);
}
