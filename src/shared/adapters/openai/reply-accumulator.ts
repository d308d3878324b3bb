/**
 * A reply out of what an endpoint sends, whole or in chunks. Nothing of the wire is trusted to have its documented type:
 * providers differ in how they number and split tool calls, in content that is null or a list of parts, and in what they
 * leave out. Only what a reply needs is kept, at most `maxBytes` of it. Pure.
 */
import { utf8ByteLength } from '../../domain/guards/utf8-length.js';
import type { FinishReason, ModelReply, ModelUsage } from '../../ports/model-client.js';
import { MAX_CALLS, ToolCallAccumulator } from './tool-call-accumulator.js';
import { countOf, isObject, listOf, stringOf, type WireObject } from './wire-value.js';

const FINISH_REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['length', 'length'],
  ['content_filter', 'content_filter'],
]);
const MAX_MODEL_NAME = 256;

export type Finished = { ok: true; reply: ModelReply } | { ok: false; detail: string };

export class ReplyAccumulator {
  private model = '';
  private content = '';
  private bytes = 0;
  private finishReason: string | null = null;
  private refused = false;
  private usage: ModelUsage | null = null;
  private fault: string | null = null;
  private readonly toolCalls = new ToolCallAccumulator();
  /** The one call of endpoints that speak of functions still; it has no ID. */
  private readonly functionCall = new ToolCallAccumulator();

  constructor(private readonly maxBytes: number) {}

  /** The answer has come to its end: there is a `finish_reason` and no fault. What may follow is the usage. */
  get isWhole(): boolean {
    return this.finishReason !== null && this.fault === null;
  }

  /** Nothing that follows can mend it. */
  get isFaulty(): boolean {
    return this.fault !== null;
  }

  /** A `chat.completion.chunk`. */
  addChunk(chunk: unknown): void {
    const choice = this.add(chunk);
    if (choice === null || !isObject(choice['delta'])) return;
    for (const call of listOf(choice['delta']['tool_calls']))
      if (isObject(call)) this.bytes += this.toolCalls.addFragment(call);
    this.addMessage(choice['delta']);
  }

  /** A `chat.completion`. */
  addWhole(completion: unknown): void {
    const choice = this.add(completion);
    if (choice === null || !isObject(choice['message'])) {
      this.fail('the answer is no chat completion');
      return;
    }
    for (const call of listOf(choice['message']['tool_calls']))
      if (isObject(call)) this.bytes += this.toolCalls.addWhole(call);
    this.addMessage(choice['message']);
  }

  /** The first fault stands. */
  fail(detail: string): void {
    this.fault ??= detail;
  }

  finish(): Finished {
    if (this.fault !== null) return { ok: false, detail: this.fault };
    if (this.finishReason === null) return { ok: false, detail: 'the answer ended without a finish_reason' };
    const finishReason = FINISH_REASONS.get(this.finishReason);
    if (finishReason === undefined)
      return { ok: false, detail: `the answer's finish_reason is unknown${shown(this.finishReason)}` };
    const toolCalls = [...this.toolCalls.calls(), ...this.functionCall.calls()];
    return {
      ok: true,
      reply: {
        model: this.model,
        content: this.content,
        toolCalls,
        finishReason: finishReason === 'stop' && toolCalls.length > 0 ? 'tool_calls' : finishReason,
        refused: this.refused,
        usage: this.usage,
      },
    };
  }

  /** What whole answers and chunks have in common. @returns the first choice. */
  private add(answer: unknown): WireObject | null {
    if (!isObject(answer)) {
      this.fail('the answer is no chat completion');
      return null;
    }
    if ((answer['error'] ?? null) !== null) {
      this.fail('an error came under a status of success');
      return null;
    }
    this.model = stringOf(answer['model']).slice(0, MAX_MODEL_NAME) || this.model;
    this.usage = usageOf(answer['usage']) ?? this.usage;
    const choice = listOf(answer['choices']).find((item) => isObject(item) && (item['index'] ?? 0) === 0);
    if (!isObject(choice)) return null;
    // An answer that was cut or withheld stays so, whatever a later chunk says.
    if (this.finishReason !== 'length' && this.finishReason !== 'content_filter')
      this.finishReason = stringOf(choice['finish_reason']) || this.finishReason;
    return choice;
  }

  private addMessage(message: WireObject): void {
    if (isObject(message['function_call']))
      this.bytes += this.functionCall.addFragment({ function: message['function_call'] });
    const { text, refused } = readContent(message['content']);
    this.content += text;
    this.bytes += utf8ByteLength(text);
    if (refused || stringOf(message['refusal']) !== '') this.refused = true;
    if (this.bytes > this.maxBytes) this.fail(`the answer is longer than ${this.maxBytes} bytes`);
    if (this.toolCalls.count > MAX_CALLS) this.fail(`the answer has more than ${MAX_CALLS} tool calls`);
  }
}

/** A string, null, or a list of parts, of which text counts and reasoning does not. */
function readContent(content: unknown): { text: string; refused: boolean } {
  if (!Array.isArray(content)) return { text: stringOf(content), refused: false };
  let text = '';
  let refused = false;
  for (const part of content as unknown[]) {
    if (typeof part === 'string') text += part;
    if (!isObject(part)) continue;
    const type = part['type'] ?? 'text';
    if (type === 'text' || type === 'output_text') text += stringOf(part['text']);
    if (type === 'refusal') refused = true;
  }
  return { text, refused };
}

/** Null when a figure is missing: a total that is half known would be taken for whole. */
function usageOf(usage: unknown): ModelUsage | null {
  if (!isObject(usage)) return null;
  const promptTokens = countOf(usage['prompt_tokens']);
  const completionTokens = countOf(usage['completion_tokens']);
  return promptTokens === null || completionTokens === null ? null : { promptTokens, completionTokens };
}

/** A word of the endpoint's own is shown, anything longer is not. */
function shown(finishReason: string): string {
  return /^[A-Za-z_]{1,40}$/.test(finishReason) ? ` (${finishReason})` : '';
}
