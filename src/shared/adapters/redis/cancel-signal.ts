/** {@link CancelSignal} on one channel of the fleet: its messages are Run IDs. */
import type { Redis } from 'ioredis';
import type { CancelSignal } from '../../ports/event-log.js';
import { CANCEL_CHANNEL } from './keys.js';
import { guarded } from './redis-connection.js';
import type { Subscriber } from './subscriber.js';

/** The half that a process needs which only asks. */
export function createCancelNotifier(redis: Redis): Pick<CancelSignal, 'notify'> {
  return {
    notify: async (runId) => {
      await guarded(redis.publish(CANCEL_CHANNEL, runId));
    },
  };
}

/**
 * Both halves. A hint calls the watchers of that Run, and `onAny` for every Run; after a lost connection every watcher is
 * called, since a hint may have been missed.
 */
export async function createCancelSignal(
  redis: Redis,
  subscriber: Subscriber,
  onAny?: (runId: string) => void,
): Promise<CancelSignal> {
  const watchers = new Map<string, Set<() => void>>();
  const wake = (runId: string): void => {
    for (const watcher of [...(watchers.get(runId) ?? [])]) watcher();
  };
  await subscriber.listen(CANCEL_CHANNEL, {
    onMessage: (runId) => {
      wake(runId);
      onAny?.(runId);
    },
    onReset: () => {
      for (const runId of [...watchers.keys()]) wake(runId);
    },
  });
  return {
    ...createCancelNotifier(redis),
    watch: (runId, onCancel) => {
      const set = watchers.get(runId) ?? new Set();
      set.add(onCancel);
      watchers.set(runId, set);
      return () => {
        set.delete(onCancel);
        if (set.size === 0 && watchers.get(runId) === set) watchers.delete(runId);
      };
    },
  };
}
