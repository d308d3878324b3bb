/**
 * The agent's transcript, rebuilt from committed rounds alone, so that any process builds the same one. Refused calls
 * are left out of the tool calls and told in words; arguments that were no JSON never enter.
 */
import type { ChatMessage } from './messages.js';
import type { AgentPayload, HarnessNotice, ToolErrorContent } from './payloads.js';
import { canonicalJson } from '../guards/canonical-json.js';
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
  const notice: HarnessNotice = { harness_notice: [...round.notices] };
  return [
    ...assistantMessages(round),
    ...round.calls.map((call): ChatMessage => ({
      role: 'tool',
      toolCallId: call.toolCallId,
      content: answerOf(call),
    })),
    ...(round.notices.length === 0 ? [] : [{ role: 'user' as const, content: canonicalJson(notice) }]),
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

function answerOf(call: CommittedCall): string {
  switch (call.answer.kind) {
    case 'projection':
      return call.answer.json;
    case 'repeat':
      return `{"repeats":${JSON.stringify(call.answer.of)},"note":"You made this call before. Cite the earlier call.","result":${call.answer.json}}`;
    case 'error': {
      const content: ToolErrorContent = {
        tool_call_id: call.toolCallId,
        evidence_status: 'ERROR',
        error: { code: call.answer.code, message: call.answer.message },
      };
      return canonicalJson(content);
    }
  }
}
