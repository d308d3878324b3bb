/**
 * The agent's transcript, rebuilt from committed rounds alone, so that any process builds the same one. Refused calls
 * are left out of the tool calls and told in words; arguments that were no JSON never enter.
 */
import type { ChatMessage } from './messages.js';
import { RepeatNotice, type AgentPayload, type HarnessNotice, type ToolErrorContent } from './payloads.js';
import { canonicalJson } from '../guards/canonical-json.js';
import { parseStrictJson } from '../guards/model-json.js';
import { DIAGNOSIS_SYSTEM } from './diagnosis.js';
import { KNOWLEDGE_SYSTEM } from './knowledge.js';

export interface CommittedCall {
  toolCallId: string;
  tool: string;
  /** Valid JSON. */
  arguments: string;
  answer:
    | { kind: 'projection'; json: string }
    /** The call repeats an earlier one word for word; that one stands. */
    | { kind: 'repeat'; of: string; json: string }
    | { kind: 'error'; code: string; message: string };
}

export interface CommittedRound {
  /** What the model said beside its calls. */
  content: string;
  calls: readonly CommittedCall[];
  /** About calls that were refused. */
  notices: readonly string[];
}

export function agentMessages(
  intent: 'DIAGNOSIS' | 'KNOWLEDGE_QUERY',
  payload: AgentPayload,
  rounds: readonly CommittedRound[],
): ChatMessage[] {
  const system = intent === 'DIAGNOSIS' ? DIAGNOSIS_SYSTEM : KNOWLEDGE_SYSTEM;
  return [
    { role: 'system', content: system },
    { role: 'user', content: canonicalJson(payload) },
    ...rounds.flatMap(roundMessages),
  ];
}

function roundMessages(round: CommittedRound): ChatMessage[] {
  return [
    ...assistantMessages(round),
    ...round.calls.map((call): ChatMessage => ({
      role: 'tool',
      toolCallId: call.toolCallId,
      content: answerOf(call),
    })),
    ...noticeMessages(round.notices),
  ];
}

/** An assistant message with neither text nor calls is refused by many endpoints, so a fully refused round has none. */
function assistantMessages(round: CommittedRound): ChatMessage[] {
  if (round.calls.length === 0 && round.content.trim() === '') return [];
  return [
    {
      role: 'assistant',
      content: round.content,
      toolCalls: round.calls.map((call) => ({
        id: call.toolCallId,
        name: call.tool,
        arguments: call.arguments,
      })),
    },
  ];
}

/** The same words once, however many calls they are about. */
function noticeMessages(notices: readonly string[]): ChatMessage[] {
  if (notices.length === 0) return [];
  const notice: HarnessNotice = { harness_notice: [...new Set(notices)] };
  return [{ role: 'user', content: canonicalJson(notice) }];
}

function answerOf({ toolCallId, answer }: CommittedCall): string {
  switch (answer.kind) {
    case 'projection':
      return answer.json;
    case 'repeat':
      return repeatOf(toolCallId, answer) ?? errorOf(toolCallId, 'FAILED', 'The call came to nothing.');
    case 'error':
      return errorOf(toolCallId, answer.code, answer.message);
  }
}

function errorOf(toolCallId: string, code: string, message: string): string {
  const content: ToolErrorContent = {
    tool_call_id: toolCallId,
    evidence_status: 'ERROR',
    error: { code, message },
  };
  return canonicalJson(content);
}

/** Null when the earlier result is no projection. */
function repeatOf(toolCallId: string, earlier: { of: string; json: string }): string | null {
  const result = parseStrictJson(earlier.json);
  if (!result.ok || typeof result.value !== 'object' || result.value === null) return null;
  const notice = RepeatNotice.safeParse({
    tool_call_id: toolCallId,
    evidence_status: 'evidence_status' in result.value ? result.value.evidence_status : undefined,
    repeats: earlier.of,
    note: 'You made this call before. The earlier call stands: cite that one.',
    result: result.value,
  });
  return notice.success ? canonicalJson(notice.data) : null;
}
