/**
 * Tool calls out of what an endpoint sends. In a stream they come in fragments whose index may always be 0, be missing,
 * or begin at 1: a new ID is a new call, and so is another name. A fragment without either goes on with the call of its
 * index, or with the last. IDs and names that are missing stay empty: the identity rule refuses them later (ID-3). Pure.
 */
import { utf8ByteLength } from '../../domain/guards/utf8-length.js';
import type { ModelToolCall } from '../../ports/model-client.js';
import { isObject, stringOf, type WireObject } from './wire-value.js';

interface GrowingCall extends ModelToolCall {
  index: number | null;
}

/** No model means more calls than this in one message. */
export const MAX_CALLS = 128;

export class ToolCallAccumulator {
  private readonly growing: GrowingCall[] = [];

  get count(): number {
    return this.growing.length;
  }

  /** @returns the UTF-8 bytes that the fragment added. */
  addFragment(fragment: WireObject): number {
    const index = typeof fragment['index'] === 'number' ? fragment['index'] : null;
    const { id, name, arguments: text } = callOf(fragment);
    const call = this.find(id, name, index) ?? this.open(id, name, index);
    if (call.name === '') call.name = name;
    call.arguments += text;
    return utf8ByteLength(id) + utf8ByteLength(name) + utf8ByteLength(text);
  }

  /** A call of a message that came whole: always a call of its own, whatever ID it has. */
  addWhole(call: WireObject): number {
    const whole = callOf(call);
    this.growing.push({ ...whole, index: null });
    return utf8ByteLength(whole.id) + utf8ByteLength(whole.name) + utf8ByteLength(whole.arguments);
  }

  /** In the order in which they began. */
  calls(): ModelToolCall[] {
    return this.growing.map(({ id, name, arguments: text }) => ({ id, name, arguments: text }));
  }

  private find(id: string, name: string, index: number | null): GrowingCall | undefined {
    const ofIndex = index === null ? this.growing : this.growing.filter((call) => call.index === index);
    const call = id === '' ? (ofIndex.at(-1) ?? this.unnumbered(name)) : ofIndex.findLast((c) => c.id === id);
    const renamed = call !== undefined && name !== '' && call.name !== '' && name !== call.name;
    return renamed ? undefined : call;
  }

  /** A bare fragment that numbers a call which began without a number. */
  private unnumbered(name: string): GrowingCall | undefined {
    const last = this.growing.at(-1);
    return name === '' && last?.index === null ? last : undefined;
  }

  private open(id: string, name: string, index: number | null): GrowingCall {
    const call: GrowingCall = { id, name, arguments: '', index };
    this.growing.push(call);
    return call;
  }
}

/** `{id, function: {name, arguments}}`; arguments that came as an object are written out as JSON text. */
function callOf(call: WireObject): ModelToolCall {
  const named = isObject(call['function']) ? call['function'] : {};
  const text = isObject(named['arguments'])
    ? JSON.stringify(named['arguments'])
    : stringOf(named['arguments']);
  return { id: stringOf(call['id']), name: stringOf(named['name']), arguments: text };
}
