/** One record of evidence in a line: result rows and counted groups are JSON, and are shown as names and values. Pure. */
import type { EvidenceItem } from '../../shared/domain/contracts/report.js';
import { cleanLine } from './plain-text.js';

/** The exact excerpt, cleaned, where it is no row and no group. */
export function excerptText({ tool, source, excerpt }: EvidenceItem): string {
  const fields = tool === 'mysql_query' || source.startsWith('groups by ') ? jsonFields(excerpt) : null;
  if (fields === null) return cleanLine(excerpt);
  const { count, key } = fields;
  if (tool === 'log_search' && typeof count === 'number' && typeof key === 'string')
    return cleanLine(`${count} × ${key}`);
  return cleanLine(
    Object.entries(fields)
      .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
      .join(' · '),
  );
}

function jsonFields(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}
