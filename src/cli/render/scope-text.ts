/** A tool call's scope in one clean line: what was looked at, from whichever of its fields are there. */
import { Window } from '../../shared/domain/contracts/window.js';
import { cleanLine } from './plain-text.js';

export type ShownScope = Readonly<Record<string, unknown>>;

/** `2026-03-04T05:06:07.890Z` → `2026-03-04 05:06:07Z`; anything else is shown as it is, cleaned. */
export function timeText(timestamp: string): string {
  const match = /^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2}:\d{2})(?:\.\d+)?Z$/.exec(timestamp);
  return match === null ? cleanLine(timestamp) : `${match[1] ?? ''} ${match[2] ?? ''}Z`;
}

/** Both ends; the day once when they share it. */
export function windowText(window: { from: string; to: string }): string {
  const from = timeText(window.from);
  const to = timeText(window.to);
  return from.slice(0, 10) === to.slice(0, 10) ? `${from.slice(0, -1)}–${to.slice(11)}` : `${from} – ${to}`;
}

/** Empty when the scope says nothing that can be shown. */
export function scopeText(scope: ShownScope): string {
  const window = Window.safeParse(scope['window']);
  const parts = [
    textOf(scope, 'service'),
    levelText(scope),
    textOf(scope, 'query'),
    groupText(scope),
    textOf(scope, 'database'),
    textOf(scope, 'sql'),
    window.success ? windowText(window.data) : '',
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

function textOf(scope: ShownScope, name: string): string {
  const value = scope[name];
  return typeof value === 'string' ? cleanLine(value) : '';
}

function levelText(scope: ShownScope): string {
  const level = textOf(scope, 'level');
  return level === '' ? '' : `${level} and above`;
}

function groupText(scope: ShownScope): string {
  const groupBy = textOf(scope, 'group_by');
  return groupBy === '' ? '' : `by ${groupBy}`;
}
