/**
 * A runbook's excerpt as sections of statements: list items, steps and sentences, in the document's own words. Commands and
 * points below a statement stand in its further lines. Pure.
 */

export interface RunbookSection {
  /** Empty before the first heading. */
  heading: string;
  statements: readonly string[];
}

const HEADING = /^#{1,6}\s+(.+?)\s*#*$/;
const ITEM = /^(\s*)(?:[-*+]|\d{1,3}[.)])\s+(.*)$/;
const MAX_STATEMENTS = 200;

interface Reading {
  sections: { heading: string; statements: string[] }[];
  /** What is being read: a list item, one below another item, or a paragraph. */
  open: { text: string; kind: 'item' | 'subitem' | 'paragraph' } | null;
  /** The last paragraph ended in a colon: the list after it belongs to it. */
  leadIn: boolean;
  fenced: boolean;
}

export function readRunbook(excerpt: string): RunbookSection[] {
  const reading: Reading = {
    sections: [{ heading: '', statements: [] }],
    open: null,
    leadIn: false,
    fenced: false,
  };
  for (const line of withoutFrontMatter(excerpt).split(/\r?\n/)) readLine(reading, line);
  flush(reading);
  return reading.sections.filter((section) => section.statements.length > 0);
}

function withoutFrontMatter(text: string): string {
  return text.replace(/^\s*---\r?\n[\s\S]*?\r?\n---\r?\n/, '');
}

function readLine(reading: Reading, line: string): void {
  if (/^\s*(?:```|~~~)/.test(line)) {
    reading.fenced = !reading.fenced;
    if (reading.fenced) flush(reading);
    return;
  }
  if (reading.fenced) {
    addCode(reading, line.trim());
    return;
  }
  const heading = HEADING.exec(line);
  if (heading !== null) {
    flush(reading);
    reading.sections.push({ heading: heading[1] ?? '', statements: [] });
    reading.leadIn = false;
    return;
  }
  const item = ITEM.exec(line);
  if (item !== null) {
    flush(reading);
    const below = reading.leadIn || (item[1] ?? '').length >= 2;
    reading.open = { text: item[2] ?? '', kind: below ? 'subitem' : 'item' };
  } else if (line.trim() === '') flush(reading);
  else if (reading.open === null) reading.open = { text: line.trim(), kind: 'paragraph' };
  else reading.open.text = `${reading.open.text} ${line.trim()}`;
}

/** A command stands with the step before it. */
function addCode(reading: Reading, code: string): void {
  if (code === '') return;
  const statements = reading.sections.at(-1)?.statements ?? [];
  const last = statements.pop();
  statements.push(last === undefined ? code : `${last}\n${code}`);
}

function flush(reading: Reading): void {
  const { open } = reading;
  reading.open = null;
  const statements = reading.sections.at(-1)?.statements;
  if (open === null || statements === undefined || statements.length >= MAX_STATEMENTS) return;
  const text = open.text.trim();
  if (open.kind === 'paragraph') reading.leadIn = text.endsWith(':');
  if (!/[A-Za-z]{2}/.test(text)) return;
  const last = open.kind === 'subitem' ? statements.pop() : undefined;
  if (last !== undefined) statements.push(`${last}\n- ${text}`);
  else if (open.kind === 'paragraph') statements.push(...text.split(/(?<=[.!?])\s+(?=[A-Z])/));
  else statements.push(text);
}

/** What a section is for, by its heading. */
export function sectionUse(heading: string): 'act' | 'check' | 'explain' | 'other' {
  if (/mitigat|remed|resol|fix|action|recover|what to do|step|procedure|response|rollback/i.test(heading))
    return 'act';
  if (/diagnos|check|investigat|verif|confirm|triage|symptom|how to tell/i.test(heading)) return 'check';
  if (/mean|impact|overview|summary|about|background|cause|description/i.test(heading)) return 'explain';
  return 'other';
}
