/** SQL as text: names and values that cannot break out of it. Pure. */
import type { Window } from '../../shared/domain/contracts/window.js';

/** Plain names alone are ever put into a statement; a table with a stranger one is left alone. */
export function isPlainName(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_$]{0,63}$/.test(name);
}

export function sqlName(name: string): string {
  return `\`${name}\``;
}

/** @param value a plain name, or a time. */
export function sqlText(value: string): string {
  return `'${value.replace(/[^A-Za-z0-9_$ :.-]/g, '')}'`;
}

/** A DATETIME literal of milliseconds, in UTC. */
export function sqlTime(iso: string): string {
  return sqlText(new Date(iso).toISOString().replace('T', ' ').replace('Z', ''));
}

export function inWindow(column: string, window: Window): string {
  return `${sqlName(column)} >= ${sqlTime(window.from)} AND ${sqlName(column)} < ${sqlTime(window.to)}`;
}

export function inList(names: readonly string[]): string {
  return `(${names.filter(isPlainName).map(sqlText).join(', ')})`;
}
