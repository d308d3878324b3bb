/**
 * The first events of every Run, with the keys under which they are published once: whoever comes first publishes them,
 * and `metadata` is number 1.
 */
import type { RunEvent } from '../contracts/events.js';

export interface KeyedRunEvent {
  key: string;
  event: RunEvent;
}

/** @param queuePosition how many Runs wait before it, when that is known. */
export function openingEvents(sessionId: string, queuePosition?: number): KeyedRunEvent[] {
  return [
    { key: 'metadata', event: { event: 'metadata', data: { sessionId } } },
    {
      key: 'status:QUEUED',
      event: {
        event: 'status',
        data: { status: 'QUEUED', ...(queuePosition === undefined ? {} : { queuePosition }) },
      },
    },
  ];
}
