/** White space, controls, format characters, lone surrogates, and letters that Unicode says to draw as nothing. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** True when a reader would see nothing. A zero-width space is no text (EG-1, KQ-2). */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

const INVISIBLE = /[\s\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** What a reader sees of it: two IDs of one visible form are one to them (EG-1). */
export function visibleForm(text: string): string {
  return text.normalize('NFKC').replace(INVISIBLE, '');
}
