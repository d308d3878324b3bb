/** The constant part of a message: what varies from one occurrence to the next is masked. Pure, deterministic. */

const MAX_CHARS = 400;

const MASKS: readonly (readonly [RegExp, string])[] = [
  [/"(?:[^"\\]|\\.){0,200}"|'[^']{0,200}'(?!\w)/g, '<str>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>'],
  [/(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?(?![\w])/g, '<ip>'],
  [/(?<![\w:])(?=[0-9a-f:]*\d)(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])/gi, '<ip>'],
  [/\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?/g, '<time>'],
  [/\b0x[0-9a-f]+\b|\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}\b/gi, '<hex>'],
  [/(?<![A-Za-z])[-+]?\d+(?:[.,]\d+)*/g, '<num>'],
];

/** Of the first line, and at most 400 characters of it. */
export function templateOf(text: string): string {
  const end = text.indexOf('\n');
  const line = text.slice(0, Math.min(end < 0 ? text.length : end, MAX_CHARS));
  const masked = MASKS.reduce((at, [pattern, mask]) => at.replace(pattern, mask), line);
  return masked.replace(/\s+/g, ' ').trim();
}
