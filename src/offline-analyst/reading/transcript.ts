/**
 * The agent's transcript as the analyst reads it: the first user message, and each tool call with what came of it. The
 * analyst keeps nothing between requests; the transcript is its whole memory.
 */
import type { ChatMessage, ModelToolCall } from '../../shared/domain/prompts/messages.js';
import { AgentPayload, HarnessNotice, ToolErrorContent } from '../../shared/domain/prompts/payloads.js';
import { Projection } from '../../shared/domain/contracts/tools/catalogue.js';
import { canonicalJson } from '../../shared/domain/guards/canonical-json.js';
import { utf8ByteLength } from '../../shared/domain/guards/utf8-length.js';

export interface DoneCall {
  id: string;
  tool: string;
  /** Tool and canonical arguments: the same question has the same key. */
  key: string;
  answer: { kind: 'result'; projection: Projection } | { kind: 'nothing'; code: string };
}

export interface Transcript {
  payload: AgentPayload;
  calls: readonly DoneCall[];
  /** Number of the round to come, from 1; no ID made of it was used before. */
  round: number;
  /** UTF-8 bytes of all results that were read. */
  evidenceBytes: number;
  /** The harness refused calls of this transcript. */
  refused: boolean;
}

/** Null when the first user message is not the agent's payload. */
export function readTranscript(messages: readonly ChatMessage[]): Transcript | null {
  const first = messages.find((message) => message.role === 'user');
  const payload = AgentPayload.safeParse(parseJson(first?.content ?? ''));
  if (!payload.success) return null;
  const answers = new Map<string, string>();
  for (const message of messages)
    if (message.role === 'tool') answers.set(message.toolCallId, message.content);
  const made = messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []));
  const notices = messages.filter((message) => message.role === 'user' && isNotice(message.content)).length;
  const rounds = messages.filter((message) => message.role === 'assistant').length;
  return {
    payload: payload.data,
    calls: made.map((call) => doneCall(call, answers.get(call.id))),
    round: rounds + notices + 1,
    evidenceBytes: [...answers.values()].reduce((sum, content) => sum + utf8ByteLength(content), 0),
    refused: notices > 0,
  };
}

export function callKey(tool: string, args: unknown): string {
  return `${tool} ${canonicalJson(args)}`;
}

function doneCall(call: ModelToolCall, content: string | undefined): DoneCall {
  const args = parseJson(call.arguments === '' ? '{}' : call.arguments);
  return {
    id: call.id,
    tool: call.name,
    key: callKey(call.name, args ?? null),
    answer: answerOf(content ?? ''),
  };
}

/** A repeat is told with the earlier result around it; the earlier call stands, so nothing is read from the later. */
function answerOf(content: string): DoneCall['answer'] {
  const value = parseJson(content);
  const projection = Projection.safeParse(value);
  if (projection.success) return { kind: 'result', projection: projection.data };
  const error = ToolErrorContent.safeParse(value);
  return { kind: 'nothing', code: error.success ? error.data.error.code : 'UNREADABLE' };
}

function isNotice(content: string): boolean {
  return HarnessNotice.safeParse(parseJson(content)).success;
}

/** Undefined when the text is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
