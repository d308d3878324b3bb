/** {@link EventReader} on Redis: replay from the stream, live from the process's subscriber connection. */
import type { Redis } from 'ioredis';
import type { EventReader } from '../../ports/event-log.js';
import { parseLive, readFrames, readHead } from './event-log.js';
import { liveChannel } from './keys.js';
import type { Subscriber } from './subscriber.js';

export function createEventReader(redis: Redis, subscriber: Subscriber): EventReader {
  return {
    read: (runId, after) => readFrames(redis, runId, after),
    head: (runId) => readHead(redis, runId),
    subscribe: (runId, onFrame, onReset) =>
      subscriber.listen(liveChannel(runId), {
        onMessage: (message) => {
          onFrame(parseLive(message));
        },
        onReset,
      }),
  };
}
