/**
 * Tool calls out of deltas whose index may always be 0, be missing, or begin at 1: a new ID is a new call. Without an ID
 * a new index is one, and so is a name that follows arguments. Empty IDs and names stay empty: the identity rule refuses
 * them later (ID-3). Pure.
 */
import { utf8ByteLength } from '../../domain/guards/utf8-length.js';
import type { ModelToolCall } from '../../ports/model-client.js';

interface Growing extends ModelToolCall {
  index: number | null;
}

/** More than this many calls in one message are not kept; no model means them. */
const MAX_CALLS = 128;

export class ToolCallAccumulator {
  private readonly growing: Growing[] = [];

  /** @param whole the delta is a call of its own, not a part of one. @returns the UTF-8 bytes that it added. */
  add(delta: Readonly<Record<string, unknown>>, whole: boolean): number {
    const id = text(delta['id']);
    const index = typeof delta['index'] === 'number' ? delta['index'] : null;
    const named =
      typeof delta['function'] === 'object' && delta['function'] !== null ? delta['function'] : {};
    const { name: rawName, arguments: rawArguments } = named as { name?: unknown; arguments?: unknown };
    const name = text(rawName);
    const args =
      typeof rawArguments === 'object' && rawArguments !== null
        ? JSON.stringify(rawArguments)
        : text(rawArguments);
    const call = (whole ? null : this.find(id, index, name)) ?? this.open(id, index);
    if (call === null) return 0;
    if (call.id === '') call.id = id;
    if (call.name === '') call.name = name;
    call.arguments += args;
    return utf8ByteLength(id) + utf8ByteLength(name) + utf8ByteLength(args);
  }

  calls(): ModelToolCall[] {
    return this.growing.map(({ id, name, arguments: args }) => ({ id, name, arguments: args }));
  }

  private find(id: string, index: number | null, name: string): Growing | null {
    const current =
      index === null ? this.growing.at(-1) : this.growing.findLast((call) => call.index === index);
    if (current === undefined) return null;
    if (id !== '' && current.id !== '' && id !== current.id) return null;
    if (id === '' && name !== '' && current.name !== '' && current.arguments !== '') return null;
    return current;
  }

  private open(id: string, index: number | null): Growing | null {
    if (this.growing.length >= MAX_CALLS) return null;
    const call: Growing = { id, name: '', arguments: '', index };
    this.growing.push(call);
    return call;
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
