/**
 * Identity of tool calls (ID-1 … ID-3): the ID in the model's own message is the only one. It is judged before anything
 * runs; a missing, unsafe, repeated or shared ID fails closed, and the call is told to the model in words alone.
 */
import { ToolCallId } from '../contracts/ids.js';
import type { InvocationErrorCode } from '../contracts/invocation.js';
import { isToolName, TOOL_CONTRACTS } from '../contracts/tools/catalogue.js';
import type { ToolName } from '../contracts/tools/common.js';
import type { ModelToolCall } from '../prompts/messages.js';
import { canonicalJson } from './canonical-json.js';
import { parseStrictJson } from './model-json.js';

const MAX_ARGUMENT_CHARACTERS = 32_768;

export type JudgedCall =
  /** To be executed; `arguments` is canonical JSON that fits the tool's schema. */
  | { kind: 'accepted'; id: string; tool: ToolName; arguments: string }
  /** A valid identity whose call cannot run: it stands as an ERROR invocation and is answered as such. */
  | { kind: 'error'; id: string; tool: ToolName | 'unknown'; code: InvocationErrorCode; message: string }
  /** No identity: left out of the transcript's tool calls. */
  | { kind: 'refused'; tool: ToolName | 'unknown'; code: InvocationErrorCode; message: string };

export interface JudgeContext {
  /** IDs of earlier rounds of the Run. */
  usedIds: ReadonlySet<string>;
  /** Tools offered in this Run. */
  offered: ReadonlySet<ToolName>;
  /** How many more calls the Run may make. */
  callsLeft: number;
}

/** In the message's order. */
export function judgeToolCalls(calls: readonly ModelToolCall[], context: JudgeContext): JudgedCall[] {
  const times = new Map<string, number>();
  for (const call of calls) times.set(call.id, (times.get(call.id) ?? 0) + 1);
  let left = context.callsLeft;
  return calls.map((call) => {
    const judged = judgeOne(call, times.get(call.id) ?? 0, context);
    if (judged.kind !== 'accepted') return judged;
    if (left <= 0)
      return {
        kind: 'error',
        id: judged.id,
        tool: judged.tool,
        code: 'FAILED',
        message: 'The Run may make no more tool calls. Write your Draft from what you have.',
      };
    left -= 1;
    return judged;
  });
}

function judgeOne(call: ModelToolCall, times: number, context: JudgeContext): JudgedCall {
  const tool = isToolName(call.name) && context.offered.has(call.name) ? call.name : 'unknown';
  if (!ToolCallId.safeParse(call.id).success)
    return {
      kind: 'refused',
      tool,
      code: 'INVALID_TOOL_CALL_ID',
      message:
        'A call was not run: its ID is missing or unsafe. Call again with an ID of 1 to 128 characters out of A-Z a-z 0-9 _ - . :',
    };
  if (times > 1)
    return {
      kind: 'refused',
      tool,
      code: 'DUPLICATE_TOOL_CALL_ID',
      message: 'Calls of one message shared an ID, so none of them was run. Call again with an ID for each.',
    };
  if (context.usedIds.has(call.id))
    return {
      kind: 'refused',
      tool,
      code: 'DUPLICATE_TOOL_CALL_ID',
      message:
        'A call was not run: its ID was used before, and the earlier call stands. Call again with a new ID.',
    };
  if (tool === 'unknown')
    return {
      kind: 'error',
      id: call.id,
      tool,
      code: 'UNKNOWN_TOOL',
      message: `There is no such tool here. Use one of: ${[...context.offered].join(', ')}.`,
    };
  return judgeArguments(call, tool);
}

function judgeArguments(call: ModelToolCall, tool: ToolName): JudgedCall {
  const fault = (message: string): JudgedCall => ({
    kind: 'error',
    id: call.id,
    tool,
    code: 'INVALID_ARGUMENTS',
    message,
  });
  if (call.arguments.length > MAX_ARGUMENT_CHARACTERS) return fault('The arguments are too long.');
  const json = parseStrictJson(call.arguments.trim() === '' ? '{}' : call.arguments);
  if (!json.ok) return fault(`The arguments are not valid JSON: ${json.detail}.`);
  const parsed = TOOL_CONTRACTS[tool].args.safeParse(json.value);
  if (!parsed.success) {
    const issues = parsed.error.issues
      .slice(0, 5)
      .map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`);
    return fault(`The arguments do not fit the schema. ${issues.join('; ')}`.slice(0, 800));
  }
  return { kind: 'accepted', id: call.id, tool, arguments: canonicalJson(parsed.data) };
}
