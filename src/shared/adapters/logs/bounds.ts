/** What one search may cost, whatever the files hold. */
export interface LogSearchBounds {
  maxFiles: number;
  /** Folders below the log directory. */
  maxDepth: number;
  /** Bytes read in one go. */
  chunkBytes: number;
  /** A longer line is judged in parts of this many bytes. */
  maxLineBytes: number;
  /** An entry of more lines, or more characters, is judged in parts. */
  maxEntryLines: number;
  maxEntryChars: number;
  /** Lines before the first time of a file that are held back for it. */
  maxLeadingLines: number;
  maxGroupKeys: number;
  /** Characters of one message in the projection. */
  maxMessageChars: number;
  /** Bytes read by one search, after unpacking. */
  maxScanBytes: number;
}

export const DEFAULT_BOUNDS: LogSearchBounds = {
  maxFiles: 2_000,
  maxDepth: 8,
  chunkBytes: 256 * 1024,
  maxLineBytes: 1024 * 1024,
  maxEntryLines: 500,
  maxEntryChars: 64 * 1024,
  maxLeadingLines: 200,
  maxGroupKeys: 10_000,
  maxMessageChars: 2_048,
  maxScanBytes: 16 * 1024 ** 3,
};
