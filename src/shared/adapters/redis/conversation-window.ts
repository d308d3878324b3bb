/** {@link ConversationWindow} on a Redis list: the last 12 turns, 24 h (SR-11). */
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { ConversationWindow } from '../../ports/conversation.js';
import { windowKey } from './keys.js';
import { guarded } from './redis-connection.js';

const TURNS = 12;
const TTL_SECONDS = 24 * 60 * 60;
const StoredTurn = z.object({ query: z.string(), answer: z.string(), at: z.string() });

export function createConversationWindow(redis: Redis): ConversationWindow {
  return {
    read: async (sessionId) => {
      const items = await guarded(redis.lrange(windowKey(sessionId), -TURNS, -1));
      return items.map((item) => StoredTurn.parse(JSON.parse(item)));
    },
    append: async (sessionId, turn) => {
      const key = windowKey(sessionId);
      await guarded(
        redis.multi().rpush(key, JSON.stringify(turn)).ltrim(key, -TURNS, -1).expire(key, TTL_SECONDS).exec(),
      );
    },
  };
}
