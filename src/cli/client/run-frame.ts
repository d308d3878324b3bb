/** A Run's SSE frames as this client reads them: checked against the same schemas that the server writes by. */
import {
  EVENT_DATA,
  FrameHead,
  type EventData,
  type EventName,
} from '../../shared/domain/contracts/events.js';

export type RunFrame = {
  [N in EventName]: { event: N; seq: number; at: string; data: EventData<N> };
}[EventName];

export interface RawFrame {
  event: string;
  data: string;
}

/**
 * Null when the event is one that this client does not know: a newer server may have more.
 * @throws {z.ZodError | SyntaxError} when a known event's data is not what the contract says.
 */
export function readFrame(raw: RawFrame): RunFrame | null {
  if (!isEventName(raw.event)) return null;
  const parsed: unknown = JSON.parse(raw.data);
  const { runId: _run, seq, at } = FrameHead.parse(parsed);
  return frameOf(raw.event, seq, at, withoutHead(parsed));
}

function isEventName(name: string): name is EventName {
  return Object.hasOwn(EVENT_DATA, name);
}

/** The head's fields stand beside the event's own; the event's schema is strict. */
function withoutHead(data: unknown): Record<string, unknown> {
  const { runId: _run, seq: _seq, at: _at, ...own } = data as Record<string, unknown>;
  return own;
}

function frameOf(event: EventName, seq: number, at: string, data: unknown): RunFrame {
  switch (event) {
    case 'metadata':
      return { event, seq, at, data: EVENT_DATA.metadata.parse(data) };
    case 'status':
      return { event, seq, at, data: EVENT_DATA.status.parse(data) };
    case 'step':
      return { event, seq, at, data: EVENT_DATA.step.parse(data) };
    case 'tool':
      return { event, seq, at, data: EVENT_DATA.tool.parse(data) };
    case 'review':
      return { event, seq, at, data: EVENT_DATA.review.parse(data) };
    case 'report':
      return { event, seq, at, data: EVENT_DATA.report.parse(data) };
    case 'error':
      return { event, seq, at, data: EVENT_DATA.error.parse(data) };
    case 'gap':
      return { event, seq, at, data: EVENT_DATA.gap.parse(data) };
    case 'done':
      return { event, seq, at, data: EVENT_DATA.done.parse(data) };
  }
}
