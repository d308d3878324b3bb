/** The process's event streams: places, ownership, and their common end. */
import { randomUUID } from 'node:crypto';
import type { NewRun, RunRecord } from '../../shared/ports/run-intake.js';
import type { ApiContext } from '../api-context.js';
import type { ApiDeps } from '../deps.js';
import { unavailable } from '../http/api-problem.js';
import type { Authenticated } from '../middleware/authenticate.js';
import type { Answer } from '../routes/route.js';
import type { Hold, RunOwnership } from '../runs/run-ownership.js';
import type { Cursor } from './cursor.js';
import type { OpenStreams } from './open-streams.js';
import type { MetadataSource } from './rebuilt-frames.js';
import { RunStream } from './run-stream.js';
import { SSE_HEADERS, SseConnection } from './sse-connection.js';

export type StreamDeps = Pick<ApiDeps, 'events' | 'runs' | 'log' | 'settings'>;

interface Opening {
  ctx: ApiContext;
  who: Authenticated;
  run: MetadataSource;
  /** `starts`: the connection that made the Run; `resumes`: it owns the Run if the Run is its principal's. */
  owning: 'no' | 'starts' | 'resumes';
  place: () => void;
}

export class RunStreams {
  constructor(
    private readonly deps: StreamDeps,
    private readonly open: OpenStreams,
    private readonly ownership: RunOwnership,
  ) {}

  /** Aborted when the process shuts down. */
  get closing(): AbortSignal {
    return this.open.closing;
  }

  /** @throws {ApiProblem} 503 when this process serves its most, or shuts down. */
  reserve(): () => void {
    const place = this.open.reserve();
    if (place === null) throw unavailable('This process takes no more streams; try again.');
    return place;
  }

  /** A wait takes a place too; without a free one it does not wait. */
  async whilePlaceHeld<T>(wait: () => Promise<T | null>): Promise<T | null> {
    const place = this.open.reserve();
    if (place === null) return null;
    try {
      return await wait();
    } finally {
      place();
    }
  }

  /** The stream of a Run made by this request; the connection owns it unless the Run is to outlive it. */
  async startOwned(ctx: ApiContext, who: Authenticated, run: NewRun, place: () => void): Promise<void> {
    const source = { runId: run.runId, sessionId: run.sessionId, createdAt: run.createdAt.toISOString() };
    const stream = await this.#openStream({
      ctx,
      who,
      run: source,
      owning: run.onDisconnect === 'cancel' ? 'starts' : 'no',
      place,
    });
    ctx.respond = false;
    await stream.beginNew();
  }

  /** Observes a Run, or resumes owning it. @throws {StoreUnavailable} before the head is sent. */
  async follow(ctx: ApiContext, who: Authenticated, record: RunRecord, cursor: Cursor): Promise<Answer> {
    const final = record.view.releaseOutcome !== null;
    if (final && (await this.#isAtEnd(record, cursor.after))) return { status: 204 };
    if (ctx.method === 'HEAD') return { status: 200, headers: SSE_HEADERS };
    const place = this.reserve();
    const resumes = !final && cursor.resumed && record.onDisconnect === 'cancel';
    const stream = await this.#openStream({
      ctx,
      who,
      run: record.view,
      owning: resumes ? 'resumes' : 'no',
      place,
    });
    try {
      await stream.prepare(cursor.after, final);
    } catch (error) {
      stream.abandon();
      throw error;
    }
    ctx.respond = false;
    await stream.begin(record);
    return 'streaming';
  }

  /** Graces first: a connection that resumed a Run must be seen to hold it while a grace looks. */
  async close(): Promise<void> {
    this.open.beginClosing();
    await this.ownership.drain();
    await this.open.close();
  }

  async #openStream({ ctx, who, run, owning, place }: Opening): Promise<RunStream> {
    const hold = { runId: run.runId, connectionId: randomUUID(), principal: who.caller.principal };
    const owns = await this.#owns(hold, owning);
    const stream = new RunStream(
      { ...this.deps, heartbeatMs: this.deps.settings.heartbeatMs },
      {
        run,
        connection: new SseConnection(ctx.res, ctx.state.closed),
        onHeartbeat: async () => {
          if (owns) await this.ownership.renew(hold);
          return who.stillValid();
        },
        onClosed: (by) => {
          place();
          if (!owns) return;
          if (by === 'client') this.ownership.lost(hold);
          else void this.ownership.release(hold);
        },
      },
    );
    this.open.add(stream);
    return stream;
  }

  async #owns(hold: Hold, owning: Opening['owning']): Promise<boolean> {
    switch (owning) {
      case 'no':
        return false;
      case 'starts':
        await this.ownership.begin(hold);
        return true;
      case 'resumes':
        return this.ownership.resume(hold);
    }
  }

  async #isAtEnd(record: RunRecord, after: number): Promise<boolean> {
    if (record.frameCount !== null) return after >= record.frameCount;
    if (after === 0) return false;
    const frames = await this.deps.events.read(record.view.runId, 0);
    const done = frames.find((frame) => frame.event === 'done');
    return done !== undefined && after >= done.seq;
  }
}
