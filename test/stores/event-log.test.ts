/** A Run's frames: numbers without a gap, once per key, replay and live as one. */
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { createEventPublisher } from '../../src/shared/adapters/redis/event-log.js';
import { createEventReader } from '../../src/shared/adapters/redis/event-reader.js';
import { connectRedis } from '../../src/shared/adapters/redis/redis-connection.js';
import { createSubscriber, type Subscriber } from '../../src/shared/adapters/redis/subscriber.js';
import { openingEvents } from '../../src/shared/domain/run/opening-events.js';
import type { Frame } from '../../src/shared/domain/contracts/events.js';
import type {
  EventPublisher,
  EventReader,
  KeyedEvent,
  Subscription,
} from '../../src/shared/ports/event-log.js';
import { uuidIds } from '../../src/shared/runtime/identity.js';
import { createFrames, statusFrame } from '../../src/workers/frames.js';
import { sharedServers } from '../support/shared-servers.js';
import { until } from '../support/until.js';
import { captureLog } from './support/captured-log.js';
import { failureOf } from './support/failure.js';

const AT = '2026-11-30T10:00:00.000Z';
const TTL_S = 600;

/** The event of a round; its key is `step:n`. */
const stepped = (round: number): KeyedEvent => ({
  key: `step:${round}`,
  event: { event: 'step', data: { round, toolCalls: [] } },
});
const seqs = (frames: readonly Frame[]): number[] => frames.map(({ seq }) => seq);
const upTo = (n: number, from = 1): number[] =>
  Array.from({ length: n - from + 1 }, (_, index) => from + index);

describe('FL-4 the event log', function () {
  this.timeout(20_000);
  let redis: Redis;
  let publisher: EventPublisher;
  let reader: EventReader;
  let subscriber: Subscriber;
  before(async () => {
    const { redisUrl } = await sharedServers();
    const { log } = captureLog();
    redis = await connectRedis(redisUrl, 'producer', log);
    subscriber = createSubscriber(await connectRedis(redisUrl, 'subscriber', log), log);
    publisher = createEventPublisher(redis, TTL_S);
    reader = createEventReader(redis, subscriber);
  });
  after(async () => {
    await subscriber.close();
    redis.disconnect();
  });
  const keysOf = (runId: string): Promise<string[]> => redis.keys(`sworn:run:{${runId}}:*`);

  it('SR-5 metadata is the first frame, and each frame is one line with its Run, number and time', async () => {
    const runId = uuidIds.runId();
    expect(await publisher.publish(runId, openingEvents('ses-1', 3), 0, AT)).to.deep.equal([1, 2]);
    const frames = await reader.read(runId, 0);
    expect(frames.map(({ seq, event }) => [seq, event])).to.deep.equal([
      [1, 'metadata'],
      [2, 'status'],
    ]);
    expect(frames.map(({ data }) => JSON.parse(data) as unknown)).to.deep.equal([
      { runId, seq: 1, at: AT, sessionId: 'ses-1' },
      { runId, seq: 2, at: AT, status: 'QUEUED', queuePosition: 3 },
    ]);
    expect(frames[0]?.data).not.to.match(/[\r\n]/);
  });

  it('FL-4 a text with line breaks stays on one line and comes back as it was', async () => {
    const runId = uuidIds.runId();
    const message = 'first\r\nsecond\u2028 third 🧯 "quoted" \\ end';
    await publisher.publish(
      runId,
      [{ key: 'error', event: { event: 'error', data: { code: 'INTERNAL', message } } }],
      0,
      AT,
    );
    const [frame] = await reader.read(runId, 0);
    expect(frame?.data).not.to.match(/[\r\n]/);
    expect(JSON.parse(frame?.data ?? '')).to.deep.include({ message });
  });

  it('FL-4 fifty publishers at once with repeated keys: 1, 2, 3 … without a gap, each key once', async () => {
    const runId = uuidIds.runId();
    await publisher.publish(runId, openingEvents('ses-1'), 0, AT);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        publisher.publish(
          runId,
          [stepped(1 + (index % 20)), stepped(1 + ((index * 7) % 20)), stepped(40)],
          0,
          AT,
        ),
      ),
    );
    const frames = await reader.read(runId, 0);
    expect(seqs(frames)).to.deep.equal(upTo(23));
    const rounds = frames.slice(2).map(({ data }) => (JSON.parse(data) as { round: number }).round);
    expect([...rounds].sort((a, b) => a - b)).to.deep.equal([...upTo(20), 40]);
    answers.forEach((numbers, index) => {
      const asked = [1 + (index % 20), 1 + ((index * 7) % 20), 40];
      expect(numbers.map((seq) => rounds[seq - 3])).to.deep.equal(asked);
    });
    expect(await reader.head(runId)).to.equal(23);
  });

  it('FL-4 nothing to publish publishes nothing', async () => {
    const runId = uuidIds.runId();
    expect(await publisher.publish(runId, [], 5, AT)).to.deep.equal([]);
    expect(await keysOf(runId)).to.deep.equal([]);
    expect(await reader.head(runId)).to.equal(0);
    expect(await reader.read(runId, 0)).to.deep.equal([]);
  });

  it('SE-1 an event with a field that its schema does not know is refused and leaves nothing', async () => {
    const runId = uuidIds.runId();
    const data = { round: 1, toolCalls: [], draft: 'MODEL WORDS' };
    expect(
      await failureOf(publisher.publish(runId, [{ key: 'step:1', event: { event: 'step', data } }], 0, AT)),
    ).to.have.property('name', 'ZodError');
    expect(await keysOf(runId)).to.deep.equal([]);
  });

  it('FL-4 subscribed, then read, then followed: every frame, none twice, with a publisher at work all the time', async () => {
    const runId = uuidIds.runId();
    let published = 0;
    const order = { enough: false };
    const work = (async () => {
      while (!order.enough && published < 50_000) {
        published += 1;
        await publisher.publish(runId, [stepped(published)], 0, AT);
      }
    })();
    const followers: { live: Frame[]; replayed: Frame[]; subscription: Subscription }[] = [];
    for (let index = 0; index < 8; index += 1) {
      const start = published;
      await until('the publisher to go on', () => published > start + 10);
      const live: Frame[] = [];
      const subscription = await reader.subscribe(
        runId,
        (frame) => live.push(frame),
        () => undefined,
      );
      const replayed = await reader.read(runId, 0);
      followers.push({ live, replayed, subscription });
    }
    const start = published;
    await until('the publisher to go on', () => published > start + 10);
    order.enough = true;
    await work;
    const total = published;
    await until('the last frame to arrive everywhere', () =>
      followers.every(({ live }) => live.at(-1)?.seq === total),
    );
    for (const { live, replayed, subscription } of followers) {
      const last = replayed.at(-1)?.seq ?? 0;
      expect(last).to.be.greaterThan(0).and.lessThan(total);
      const fresh = live.filter(({ seq }) => seq > last);
      expect([...seqs(replayed), ...seqs(fresh)]).to.deep.equal(upTo(total));
      const byNumber = new Map(live.map((frame) => [frame.seq, frame]));
      for (const frame of replayed) {
        const twin = byNumber.get(frame.seq);
        if (twin !== undefined) expect(twin).to.deep.equal(frame);
      }
      await subscription.close();
    }
  });

  it('FL-4 a reader resumes after the frame that it saw last; a log longer than a page is read whole', async () => {
    const runId = uuidIds.runId();
    await publisher.publish(runId, upTo(1203).map(stepped), 0, AT);
    expect(seqs(await reader.read(runId, 0))).to.deep.equal(upTo(1203));
    expect(seqs(await reader.read(runId, 700))).to.deep.equal(upTo(1203, 701));
    expect(await reader.read(runId, 1203)).to.deep.equal([]);
    expect(await reader.read(runId, 9999)).to.deep.equal([]);
  });

  it('FL-4 after the keys are lost numbering goes on above what the row knows', async () => {
    const runId = uuidIds.runId();
    await publisher.publish(runId, upTo(5).map(stepped), 0, AT);
    await redis.del(...(await keysOf(runId)));
    expect(await publisher.publish(runId, [stepped(3), stepped(6)], 8, AT)).to.deep.equal([9, 10]);
    expect(await publisher.publish(runId, [stepped(7)], 2, AT)).to.deep.equal([11]);
  });

  it('FL-4 after the keys’ numbers alone are lost the log itself is the floor', async () => {
    const runId = uuidIds.runId();
    await publisher.publish(runId, upTo(5).map(stepped), 0, AT);
    await redis.del(`sworn:run:{${runId}}:frames`);
    expect(await publisher.publish(runId, [stepped(6)], 2, AT)).to.deep.equal([6]);
    expect(seqs(await reader.read(runId, 0))).to.deep.equal(upTo(6));
  });

  it('SR-5 a Run without a committed round begins anew at 1 when its log is lost, metadata first; its row keeps the highest number', async () => {
    const raised: [string, number][] = [];
    const frames = createFrames(
      publisher,
      { raiseFrameSeq: (runId, seq) => Promise.resolve(void raised.push([runId, seq])) },
      { now: () => new Date(AT) },
    );
    const runId = uuidIds.runId();
    const events = [...openingEvents('ses-1'), statusFrame('RUNNING')];
    expect(await frames.publish({ runId, rounds: 0, frameSeq: 3 }, events)).to.equal(3);
    await redis.del(...(await keysOf(runId)));
    expect(await frames.publish({ runId, rounds: 0, frameSeq: 3 }, events)).to.equal(3);
    expect((await reader.read(runId, 0))[0]).to.include({ seq: 1, event: 'metadata' });
    expect(raised).to.deep.equal([]);
    await redis.del(...(await keysOf(runId)));
    expect(await frames.publish({ runId, rounds: 1, frameSeq: 6 }, [stepped(2)])).to.equal(7);
    expect(raised).to.deep.equal([[runId, 7]]);
  });

  it('IV-1 every key of the log expires, and each publication gives it its whole time again', async () => {
    const runId = uuidIds.runId();
    await publisher.publish(runId, [stepped(1)], 0, AT);
    const keys = await keysOf(runId);
    expect(keys.sort()).to.deep.equal([`sworn:run:{${runId}}:events`, `sworn:run:{${runId}}:frames`]);
    for (const key of keys) {
      expect(await redis.ttl(key)).to.be.within(TTL_S - 5, TTL_S);
      await redis.expire(key, 10);
    }
    await publisher.publish(runId, [stepped(1)], 0, AT);
    for (const key of keys) expect(await redis.ttl(key)).to.be.greaterThan(10);
  });
});
