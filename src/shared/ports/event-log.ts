/**
 * A Run's frames: a stream to replay and a channel to follow, written in one atomic step.
 *
 * Contract of `publish`: numbers are 1, 2, 3, … per Run without a gap. `key` names the event in the Run
 * (`step:2`, `tool:3:READY`, `done`): publishing a key again does nothing and returns the number it has. `floor` is the
 * frame count that the durable row knows: numbering goes on above it when the stream is lost.
 */
import type { Frame } from '../domain/contracts/events.js';
import type { KeyedRunEvent } from '../domain/run/opening-events.js';

export type KeyedEvent = KeyedRunEvent;

export interface EventPublisher {
  /** Numbers of the frames, in order. `at` is RFC 3339 UTC. */
  publish(runId: string, events: readonly KeyedEvent[], floor: number, at: string): Promise<number[]>;
}

export interface Subscription {
  close(): Promise<void>;
}

export interface EventReader {
  /** Frames after `after`, oldest first; empty when there are none or the log has expired. */
  read(runId: string, after: number): Promise<Frame[]>;
  /** The last frame's number, 0 when no log lives. */
  head(runId: string): Promise<number>;
  /**
   * Live frames. Resolves once the subscription is acknowledged, so that a `read` after it misses nothing.
   * `onReset` is called after the connection was lost and is back: read again from the last frame seen.
   */
  subscribe(runId: string, onFrame: (frame: Frame) => void, onReset: () => void): Promise<Subscription>;
}

/** Tells whoever works on a Run that its cancellation was recorded; a hint, the row is the truth. */
export interface CancelSignal {
  notify(runId: string): Promise<void>;
  /** Calls `onCancel` for Runs watched at the time; the returned function ends the watch. */
  watch(runId: string, onCancel: () => void): () => void;
}
