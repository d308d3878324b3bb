/** An answer as a chat completion: one object, or the chunks of a stream. Pure. */
import type { ChatMessage, ModelToolCall } from '../../shared/domain/prompts/messages.js';
import { ANALYST_MODEL, type AnalystAnswer } from '../analyst-answer.js';

export interface CompletionHead {
  id: string;
  /** Seconds since the epoch. */
  created: number;
}

export interface CompletionUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
}

const CHARACTERS_PER_TOKEN = 4;
const PIECE_CHARACTERS = 800;

/** There are no tokens here; four characters count as one, as where an endpoint does not say. */
export function usageOf(messages: readonly ChatMessage[], answer: AnalystAnswer): CompletionUsage {
  const said = answer.content.length + argumentLength(answer.toolCalls);
  const heard = messages.reduce(
    (sum, message) =>
      sum + message.content.length + (message.role === 'assistant' ? argumentLength(message.toolCalls) : 0),
    0,
  );
  const prompt = Math.ceil(heard / CHARACTERS_PER_TOKEN);
  const completion = Math.ceil(said / CHARACTERS_PER_TOKEN);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

function argumentLength(calls: readonly ModelToolCall[]): number {
  return calls.reduce((sum, call) => sum + call.arguments.length, 0);
}

export function completion(head: CompletionHead, answer: AnalystAnswer, usage: CompletionUsage): object {
  return {
    ...head,
    object: 'chat.completion',
    model: ANALYST_MODEL,
    choices: [{ index: 0, finish_reason: answer.finishReason, logprobs: null, message: messageOf(answer) }],
    usage,
  };
}

function messageOf(answer: AnalystAnswer): object {
  if (answer.finishReason === 'stop') return { role: 'assistant', content: answer.content, refusal: null };
  const toolCalls = answer.toolCalls.map(({ id, name, arguments: json }) => ({
    id,
    type: 'function',
    function: { name, arguments: json },
  }));
  return { role: 'assistant', content: null, refusal: null, tool_calls: toolCalls };
}

/** In order, without the closing `[DONE]`. @param usage null unless the request asked for it */
export function completionChunks(
  head: CompletionHead,
  answer: AnalystAnswer,
  usage: CompletionUsage | null,
): object[] {
  const chunk = (delta: object, finishReason: string | null): object => ({
    ...head,
    object: 'chat.completion.chunk',
    model: ANALYST_MODEL,
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  });
  const end = { ...head, object: 'chat.completion.chunk', model: ANALYST_MODEL, choices: [], usage };
  return [
    chunk({ role: 'assistant', content: '' }, null),
    ...piecesOf(answer.content).map((content) => chunk({ content }, null)),
    ...answer.toolCalls.flatMap((call, index) => [
      chunk(
        {
          tool_calls: [
            { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } },
          ],
        },
        null,
      ),
      ...piecesOf(call.arguments).map((piece) =>
        chunk({ tool_calls: [{ index, function: { arguments: piece } }] }, null),
      ),
    ]),
    chunk({}, answer.finishReason),
    ...(usage === null ? [] : [end]),
  ];
}

/** A surrogate pair is never parted: half of one would be damaged by UTF-8. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    let end = Math.min(text.length, start + PIECE_CHARACTERS);
    if (end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end -= 1;
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}
