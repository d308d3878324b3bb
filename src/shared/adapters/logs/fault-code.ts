/** The code of a file-system or unpacking fault, for people: never its message, which holds absolute paths. */
export function faultCode(error: unknown): string {
  if (error instanceof UnreadableFile) return error.reason;
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? code : 'unreadable';
}

/** A file that is there and cannot be searched. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
  constructor(readonly reason: string) {
    super(reason);
  }
}
