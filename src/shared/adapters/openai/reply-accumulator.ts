/**
 * A reply out of what an endpoint sends, whole or in chunks. Nothing of the wire is trusted to have its documented type:
 * providers differ in how they number and split tool calls, in content that is null or a list of parts, and in what they
 * leave out. Pure.
 */
import type { FinishReason, ModelReply, ModelUsage } from '../../ports/model-client.js';
import { utf8ByteLength } from '../../domain/guards/utf8-length.js';
import { ToolCallAccumulator } from './tool-call-accumulator.js';

type Json = Readonly<Record<string, unknown>>;

const FINISH_REASONS: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  length: 'length',
  content_filter: 'content_filter',
};

export type Finished = { ok: true; reply: ModelReply } | { ok: false; detail: string };

export class ReplyAccumulator {
  private model = '';
  private content = '';
  private bytes = 0;
  private finishReason: string | null = null;
  private refused = false;
  private usage: ModelUsage | null = null;
  private fault: string | null = null;
  private readonly calls = new ToolCallAccumulator();

  constructor(private readonly maxBytes: number) {}

  /** @returns false when reading on is of no use. */
  addChunk(chunk: unknown): boolean {
    return this.add(chunk, 'delta');
  }

  addWhole(completion: unknown): void {
    this.add(completion, 'message');
  }

  finish(): Finished {
    if (this.fault !== null) return { ok: false, detail: this.fault };
    if (this.finishReason === null) return { ok: false, detail: 'the answer ended without a finish_reason' };
    const reason = Object.hasOwn(FINISH_REASONS, this.finishReason)
      ? FINISH_REASONS[this.finishReason]
      : undefined;
    if (reason === undefined) return { ok: false, detail: 'the answer has an unknown finish_reason' };
    const toolCalls = this.calls.calls();
    return {
      ok: true,
      reply: {
        model: this.model,
        content: this.content,
        toolCalls,
        finishReason: reason === 'stop' && toolCalls.length > 0 ? 'tool_calls' : reason,
        refused: this.refused,
        usage: this.usage,
      },
    };
  }

  private add(part: unknown, key: 'delta' | 'message'): boolean {
    if (!isObject(part)) return this.fail('the answer is not JSON of a chat completion');
    if (part['error'] !== undefined && part['error'] !== null)
      return this.fail('an error came under a status of success');
    if (typeof part['model'] === 'string' && part['model'] !== '') this.model = part['model'];
    this.usage = usageOf(part['usage']) ?? this.usage;
    const choices = part['choices'];
    if (!Array.isArray(choices)) return key === 'delta' || this.fail('the answer has no choices');
    const choice: unknown = choices.find((item) => isObject(item) && (item['index'] ?? 0) === 0);
    if (!isObject(choice)) return key === 'delta' || this.fail('the answer has no choice');
    this.addMessage(choice[key], key === 'message');
    if (typeof choice['finish_reason'] === 'string' && choice['finish_reason'] !== '')
      this.finishReason = choice['finish_reason'];
    return this.fault === null;
  }

  private addMessage(message: unknown, whole: boolean): void {
    if (!isObject(message)) return;
    const text = textOf(message['content']);
    this.content += text;
    this.bytes += utf8ByteLength(text);
    if (typeof message['refusal'] === 'string' && message['refusal'] !== '') this.refused = true;
    if (Array.isArray(message['tool_calls']))
      for (const call of message['tool_calls']) if (isObject(call)) this.bytes += this.calls.add(call, whole);
    if (this.bytes > this.maxBytes) this.fail(`the answer is longer than ${this.maxBytes} bytes`);
  }

  private fail(detail: string): false {
    this.fault ??= detail;
    return false;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A string, null, or a list of parts of which the text counts. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part: unknown) => {
      if (typeof part === 'string') return part;
      return isObject(part) && typeof part['text'] === 'string' ? part['text'] : '';
    })
    .join('');
}

function usageOf(usage: unknown): ModelUsage | null {
  if (!isObject(usage)) return null;
  const { prompt_tokens: prompt, completion_tokens: completion } = usage;
  if (!isCount(prompt) || !isCount(completion)) return null;
  return { promptTokens: prompt, completionTokens: completion };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= 2_147_483_647;
}
