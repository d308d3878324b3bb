/**
 * Between a supervisor and its keeper: the order goes as an argument, answers come as JSON lines on the keeper's stdout,
 * and the keeper's stdin is its life line: at its end, however it came, the servers are stopped.
 */
import { z } from 'zod';

export const KeeperOrder = z.object({
  redis: z.boolean(),
  mariadb: z.boolean(),
  /** Data is removed at the end and never waits for the disk. */
  throwAway: z.boolean(),
});
export type KeeperOrder = z.infer<typeof KeeperOrder>;

export const KeeperWord = z.discriminatedUnion('word', [
  z.object({ word: z.literal('say'), line: z.string() }),
  z.object({
    word: z.literal('ready'),
    redisUrl: z.string().nullable(),
    databaseUrl: z.string().nullable(),
    adminUrl: z.string().nullable(),
  }),
  /** The keeper could not start, or has given a server up; it ends by itself. */
  z.object({ word: z.literal('failed'), message: z.string() }),
]);
export type KeeperWord = z.infer<typeof KeeperWord>;

/** @returns null for anything that is not a word of this protocol. */
export function readWord(line: string): KeeperWord | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  const parsed = KeeperWord.safeParse(value);
  return parsed.success ? parsed.data : null;
}
