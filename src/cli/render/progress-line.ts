/** A Run's frames as lines of progress. What a frame may say before release holds no word of a model (SE-1). */
import type { RunFrame } from '../client/run-frame.js';
import { cleanLine } from './plain-text.js';
import { scopeText } from './scope-text.js';

export interface ProgressLine {
  /** `now`: under way; `passing`: under way, and soon said again as done; `done` and `failed`: worth keeping. */
  state: 'now' | 'passing' | 'done' | 'failed';
  text: string;
}

/** Null for frames that a reader of progress needs no line for. */
export function progressLine(frame: RunFrame): ProgressLine | null {
  switch (frame.event) {
    case 'metadata':
    case 'done':
      return null;
    case 'status':
      return statusLine(frame.data);
    case 'step':
      return stepLine(frame.data);
    case 'tool':
      return toolLine(frame.data);
    case 'review':
      return reviewLine(frame.data);
    case 'report':
      return { state: 'done', text: `released: ${frame.data.releaseOutcome}` };
    case 'error':
      return { state: 'failed', text: `failed: ${frame.data.code}` };
    case 'gap':
      return { state: 'now', text: `steps ${frame.data.from} to ${frame.data.to} are no longer kept` };
  }
}

type DataOf<N extends RunFrame['event']> = Extract<RunFrame, { event: N }>['data'];

function statusLine(data: DataOf<'status'>): ProgressLine | null {
  switch (data.status) {
    case 'QUEUED':
      return {
        state: 'now',
        text: data.queuePosition ? `queued, ${data.queuePosition} before it` : 'queued',
      };
    case 'RUNNING':
      return data.intent === undefined
        ? { state: 'now', text: 'reading the question' }
        : { state: 'done', text: `understood as ${data.intent}` };
    case 'REVIEWING':
      return { state: 'now', text: 'the guards review the draft' };
    case 'COMPLETED':
    case 'FAILED':
    case 'CANCELLED':
      return null;
  }
}

function stepLine({ round, toolCalls }: DataOf<'step'>): ProgressLine {
  if (toolCalls.length === 0) return { state: 'now', text: `round ${round}: draft written` };
  const tools = toolCalls.map(({ tool }) => tool).join(', ');
  return { state: 'done', text: `round ${round}: ${tools}` };
}

function toolLine(data: DataOf<'tool'>): ProgressLine {
  const scope = cleanLine(scopeText(data.scope));
  const head = `call ${data.call} ${data.tool}${scope === '' ? '' : ` · ${scope}`}`;
  const time = data.durationMs === null ? '' : ` (${data.durationMs} ms)`;
  switch (data.status) {
    case 'PROJECTING':
      return { state: 'passing', text: head };
    case 'READY':
      return { state: 'done', text: `${head} → ${foundText(data)}${time}` };
    case 'ERROR':
      return { state: 'failed', text: `${head} → failed${time}` };
  }
}

function foundText({ evidenceStatus, matched }: DataOf<'tool'>): string {
  if (evidenceStatus === 'NO_EVIDENCE') return 'nothing found';
  return matched === undefined ? 'found' : `${matched} found`;
}

function reviewLine({ stage, outcome }: DataOf<'review'>): ProgressLine {
  const names = { evidence: 'EvidenceGuard', repair: 'EvidenceRepair', semantic: 'SemanticGuard' } as const;
  const failed = outcome === 'rejected' || outcome === 'unavailable';
  return { state: failed ? 'failed' : 'done', text: `${names[stage]}: ${outcome}` };
}
