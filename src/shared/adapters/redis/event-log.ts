/** {@link EventPublisher} and the replay half of {@link EventReader} on a Redis stream per Run. */
import type { Redis } from 'ioredis';
import { EVENT_DATA, type EventName, type Frame } from '../../domain/contracts/events.js';
import type { EventPublisher } from '../../ports/event-log.js';
import { guarded } from './redis-connection.js';
import { eventsKey, framesKey, liveChannel } from './keys.js';

/**
 * One atomic step per call: number, append, publish. An event whose key has a number already is left out, and so is every
 * other once `done` stands: a worker that wakes late adds nothing to an ended Run.
 * KEYS: events, frames. ARGV: channel, floor, ttl (s), head (JSON up to the number), at, then key, event, data …
 */
const PUBLISH = `
local last = tonumber(redis.call('HGET', KEYS[2], 'last'))
if not last then
  last = tonumber(ARGV[2])
  local tail = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
  if tail[1] then last = math.max(last, tonumber(string.match(tail[1][1], '^%d+'))) end
end
local ended = redis.call('HEXISTS', KEYS[2], 'k:done') == 1
local numbers = {}
for i = 6, #ARGV, 3 do
  local key = 'k:' .. ARGV[i]
  local seq = tonumber(redis.call('HGET', KEYS[2], key))
  if not seq and not ended then
    last = last + 1
    if ARGV[i] == 'done' then ended = true end
    seq = last
    local rest = ARGV[i + 2]
    local data = ARGV[4] .. seq .. ',"at":"' .. ARGV[5] .. '"' .. (rest == '{}' and '}' or ',' .. string.sub(rest, 2))
    redis.call('XADD', KEYS[1], seq .. '-0', 'event', ARGV[i + 1], 'data', data)
    redis.call('HSET', KEYS[2], key, seq, 'last', seq)
    redis.call('PUBLISH', ARGV[1], seq .. ' ' .. ARGV[i + 1] .. ' ' .. data)
  end
  numbers[#numbers + 1] = seq or last
end
redis.call('EXPIRE', KEYS[1], ARGV[3])
redis.call('EXPIRE', KEYS[2], ARGV[3])
return numbers
`;

const PAGE = 500;

export function createEventPublisher(redis: Redis, ttlSeconds: number): EventPublisher {
  return {
    publish: async (runId, events, floor, at) => {
      if (events.length === 0) return [];
      const parts = events.flatMap(({ key, event }) => [
        key,
        event.event,
        JSON.stringify(EVENT_DATA[event.event].parse(event.data)),
      ]);
      const numbers = await guarded(
        redis.eval(
          PUBLISH,
          2,
          eventsKey(runId),
          framesKey(runId),
          liveChannel(runId),
          floor,
          ttlSeconds,
          `{"runId":${JSON.stringify(runId)},"seq":`,
          at,
          ...parts,
        ),
      );
      return (numbers as number[]).map(Number);
    },
  };
}

/** Frames after `after`, oldest first. */
export async function readFrames(redis: Redis, runId: string, after: number): Promise<Frame[]> {
  const frames: Frame[] = [];
  for (let cursor = after; ;) {
    const page = await guarded(redis.xrange(eventsKey(runId), `${cursor + 1}-0`, '+', 'COUNT', PAGE));
    for (const [id, fields] of page) frames.push(toFrame(Number.parseInt(id, 10), fields[1], fields[3]));
    if (page.length < PAGE) return frames;
    cursor = frames.at(-1)?.seq ?? cursor;
  }
}

export async function readHead(redis: Redis, runId: string): Promise<number> {
  const [tail] = await guarded(redis.xrevrange(eventsKey(runId), '+', '-', 'COUNT', 1));
  return tail === undefined ? 0 : Number.parseInt(tail[0], 10);
}

/** A live message as the script publishes it: number, event and data apart by single spaces. */
export function parseLive(message: string): Frame {
  const first = message.indexOf(' ');
  const second = message.indexOf(' ', first + 1);
  return toFrame(
    Number(message.slice(0, first)),
    message.slice(first + 1, second),
    message.slice(second + 1),
  );
}

function toFrame(seq: number, event: string | undefined, data: string | undefined): Frame {
  if (event === undefined || data === undefined || !isEventName(event))
    throw new TypeError('the event log holds a frame of an unknown shape');
  return { seq, event, data };
}

function isEventName(name: string): name is EventName {
  return Object.hasOwn(EVENT_DATA, name);
}
