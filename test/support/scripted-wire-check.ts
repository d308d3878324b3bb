/** What a careful endpoint refuses: a transcript that breaks the rules of tool calls, or a request without its headers. */
import type { RecordedMessage, RecordedRequest } from './scripted-request.js';

const STAGES = new Set(['router', 'diagnosis', 'knowledge', 'repair', 'semantic']);

/** Each in a few words; none when the request is well formed. */
export function wireFaults(request: RecordedRequest): string[] {
  const { model, tools } = JSON.parse(request.body) as { model?: unknown; tools?: unknown };
  const faults: string[] = [];
  if (!/^Bearer \S+$/.test(request.headers.authorization ?? '')) faults.push('no bearer key');
  if (!STAGES.has(request.stage)) faults.push('no stage of ours in X-Sworn-Stage');
  if (request.runId === '') faults.push('no X-Sworn-Run');
  if (!Number.isInteger(request.attempt) || request.attempt < 1) faults.push('no attempt in X-Sworn-Attempt');
  if (typeof model !== 'string' || model === '') faults.push('no model');
  if (Array.isArray(tools) && tools.length === 0) faults.push('an empty list of tools');
  return [...faults, ...transcriptFaults(request.messages)];
}

/** Every call of an assistant message is answered by one tool message before anything else is said. */
function transcriptFaults(messages: readonly RecordedMessage[]): string[] {
  const faults: string[] = [];
  let open: string[] = [];
  for (const { role, content, tool_calls: calls = [], tool_call_id: answers } of messages) {
    if (role === 'tool') {
      if (!open.includes(answers ?? '')) faults.push('a tool message that answers no open call');
      open = open.filter((id) => id !== answers);
      continue;
    }
    if (open.length > 0) faults.push('a tool call without its answer');
    if (content === null && calls.length === 0) faults.push('a message without content');
    open = calls.map(({ id }) => id);
    if (new Set(open).size < open.length) faults.push('two tool calls of one ID');
  }
  if (messages.length === 0) faults.push('no messages');
  if (open.length > 0) faults.push('a tool call without its answer');
  return faults;
}
