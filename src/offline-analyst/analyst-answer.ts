/** What the analyst says to one request: text, or tool calls; the wire makes a chat completion of it. */
import type { ModelToolCall } from '../shared/domain/prompts/messages.js';

export const ANALYST_MODEL = 'sworn-offline-analyst';

export type AnalystAnswer =
  | { finishReason: 'stop'; content: string; toolCalls: readonly [] }
  | { finishReason: 'tool_calls'; content: ''; toolCalls: readonly ModelToolCall[] };

/** An answer of JSON text; every stage but a tool round ends in one. */
export function jsonAnswer(value: unknown): AnalystAnswer {
  return { finishReason: 'stop', content: JSON.stringify(value), toolCalls: [] };
}

/** The same in every Draft and knowledge answer, so that a reader always learns who wrote it. */
export const OFFLINE_NOTE =
  'Written by the built-in offline analyst, which works by fixed rules; no language model was asked.';
