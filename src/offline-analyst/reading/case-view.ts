/** Everything that is known at the beginning of a round, arranged for looking things up. Pure. */
import type { Projection } from '../../shared/domain/contracts/tools/catalogue.js';
import type { ToolName } from '../../shared/domain/contracts/tools/common.js';
import type { Window } from '../../shared/domain/contracts/window.js';
import type { AgentPayload } from '../../shared/domain/prompts/payloads.js';
import { readQuestion, type Question } from './question.js';
import { readSchema, type Schema } from './schema.js';
import { callKey, type DoneCall, type Transcript } from './transcript.js';

export type LogRead = Extract<Projection, { tool: 'log_search' }>;
export type SqlRead = Extract<Projection, { tool: 'mysql_query' }>;
export type RagRead = Extract<Projection, { tool: 'rag_lookup' }>;

/** A call that the analyst wants to have made. The same view gives the same calls, so a result is found again by them. */
export interface Wanted {
  tool: ToolName;
  args: Readonly<Record<string, unknown>>;
}

export interface CaseView {
  payload: AgentPayload;
  question: Question;
  window: Window;
  /** As long as the window and right before it: for comparison. */
  before: Window;
  offered: ReadonlySet<string>;
  calls: readonly DoneCall[];
  schema: Schema;
}

export function viewCase(transcript: Transcript, tools: readonly string[]): CaseView {
  const { payload, calls } = transcript;
  const from = Date.parse(payload.window.from);
  const length = Date.parse(payload.window.to) - from;
  return {
    payload,
    question: readQuestion(payload),
    window: payload.window,
    before: { from: new Date(from - length).toISOString(), to: payload.window.from },
    offered: new Set(tools),
    calls,
    schema: readSchema(calls.flatMap((call) => readAs(call, 'mysql_query') ?? [])),
  };
}

/** What the call came to; null when it was not made, or came to nothing. */
export function resultOf<T extends ToolName>(
  view: CaseView,
  wanted: Wanted & { tool: T },
): Extract<Projection, { tool: T }> | null {
  const done = callOf(view, wanted);
  return done === null ? null : readAs(done, wanted.tool);
}

export function callOf(view: CaseView, wanted: Wanted): DoneCall | null {
  const key = callKey(wanted.tool, wanted.args);
  return view.calls.find((call) => call.key === key) ?? null;
}

/** Answered in any way, an error included. */
export function isDone(view: CaseView, wanted: Wanted): boolean {
  return callOf(view, wanted) !== null;
}

function readAs<T extends ToolName>(call: DoneCall, tool: T): Extract<Projection, { tool: T }> | null {
  if (call.answer.kind !== 'result' || call.answer.projection.tool !== tool) return null;
  return call.answer.projection as Extract<Projection, { tool: T }>;
}

function logReads(view: CaseView): LogRead[] {
  return view.calls.flatMap((call) => readAs(call, 'log_search') ?? []);
}

export function sqlReads(view: CaseView): SqlRead[] {
  return view.calls.flatMap((call) => readAs(call, 'mysql_query') ?? []);
}

/** Messages of log entries that were read, each once. */
export function messagesRead(view: CaseView): string[] {
  return [...new Set(logReads(view).flatMap((read) => read.entries.map((entry) => entry.message)))];
}
