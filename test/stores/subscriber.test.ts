/** One subscriber connection: reference-counted channels, and a reset after every loss. */
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { createCancelNotifier, createCancelSignal } from '../../src/shared/adapters/redis/cancel-signal.js';
import { connectRedis } from '../../src/shared/adapters/redis/redis-connection.js';
import { createSubscriber, type Subscriber } from '../../src/shared/adapters/redis/subscriber.js';
import { StoreUnavailable } from '../../src/shared/ports/errors.js';
import { sharedServers } from '../support/shared-servers.js';
import { until } from '../support/until.js';
import { captureLog, type CapturedLog } from './support/captured-log.js';
import { failureOf } from './support/failure.js';
import { openGate, type TcpGate } from './support/tcp-gate.js';

describe('FL-4 the subscriber', function () {
  this.timeout(20_000);
  let redis: Redis;
  let connection: Redis;
  let subscriber: Subscriber;
  let captured: CapturedLog;
  let url: string;
  before(async () => {
    url = (await sharedServers()).redisUrl;
    redis = await connectRedis(url, 'producer', captureLog().log);
  });
  after(() => {
    redis.disconnect();
  });
  beforeEach(async () => {
    captured = captureLog();
    connection = await connectRedis(url, 'subscriber', captured.log);
    subscriber = createSubscriber(connection, captured.log);
  });
  afterEach(() => subscriber.close());

  const listeners = async (channel: string): Promise<number> =>
    Number((await redis.pubsub('NUMSUB', channel))[1]);
  const follow = async (channel: string) => {
    const seen: string[] = [];
    const counter = { resets: 0 };
    const subscription = await subscriber.listen(channel, {
      onMessage: (message) => seen.push(message),
      onReset: () => {
        counter.resets += 1;
      },
    });
    return { seen, counter, close: () => subscription.close() };
  };
  /** Ends every subscriber's connection on the server. */
  const kill = () => redis.call('CLIENT', 'KILL', 'TYPE', 'PUBSUB');

  it('FL-4 a channel is there once listening has been answered, and goes with its last listener', async () => {
    const one = await follow('sworn:test:a');
    const two = await follow('sworn:test:a');
    expect(await listeners('sworn:test:a')).to.equal(1);
    await redis.publish('sworn:test:a', 'first');
    await until('both to hear it', () => one.seen.length === 1 && two.seen.length === 1);
    await one.close();
    await one.close();
    expect(await listeners('sworn:test:a')).to.equal(1);
    await redis.publish('sworn:test:a', 'second');
    await until('the other to hear it', () => two.seen.length === 2);
    expect(one.seen).to.deep.equal(['first']);
    await two.close();
    expect(await listeners('sworn:test:a')).to.equal(0);
  });

  it('FL-4 a thousand opened and closed, side by side and mixed, leave nothing behind', async () => {
    const heap = new Set<string>();
    for (let wave = 0; wave < 10; wave += 1) {
      const open = await Promise.all(
        Array.from({ length: 100 }, (_, index) => follow(`sworn:test:many:${index % 25}`)),
      );
      await Promise.all(open.map(({ close }) => close()));
    }
    for (let index = 0; index < 25; index += 1)
      if ((await listeners(`sworn:test:many:${index}`)) > 0) heap.add(String(index));
    expect([...heap]).to.deep.equal([]);
    expect(connection.listenerCount('message')).to.equal(1);
    expect(connection.listenerCount('ready')).to.be.at.most(1);
  });

  it('FL-4 closing the last while another opens leaves the channel open', async () => {
    let current = await follow('sworn:test:swap');
    for (let time = 0; time < 50; time += 1) {
      const [next] = await Promise.all([follow('sworn:test:swap'), current.close()]);
      current = next;
    }
    await redis.publish('sworn:test:swap', 'heard');
    await until('the message to arrive', () => current.seen.length === 1);
    await current.close();
  });

  it('FL-4 after a cut connection each listener is told once its channel is there again, and hears what follows', async () => {
    const one = await follow('sworn:test:cut:1');
    const two = await follow('sworn:test:cut:2');
    const gone = await follow('sworn:test:cut:3');
    await gone.close();
    for (let cut = 1; cut <= 2; cut += 1) {
      await kill();
      await until('both to be told', () => one.counter.resets === cut && two.counter.resets === cut);
      expect(await listeners('sworn:test:cut:1')).to.equal(1);
      await redis.publish('sworn:test:cut:1', `after ${cut}`);
      await until('the message to arrive', () => one.seen.at(-1) === `after ${cut}`);
    }
    expect(gone.counter.resets).to.equal(0);
    expect(await listeners('sworn:test:cut:3')).to.equal(0);
  });

  it('FL-4 a listener that throws keeps no other from hearing, and its words stay out of the log', async () => {
    await subscriber.listen('sworn:test:throw', {
      onMessage: () => {
        throw new Error('SECRET-WORDS');
      },
      onReset: () => undefined,
    });
    const other = await follow('sworn:test:throw');
    await redis.publish('sworn:test:throw', 'x');
    await until('the other to hear it', () => other.seen.length === 1);
    await until('the fault to be logged', () => captured.text().includes('a listener failed'));
    expect(captured.text()).not.to.include('SECRET-WORDS');
  });

  it('CA-1 a hint reaches the watchers of its Run, until they stop watching', async () => {
    const any: string[] = [];
    const signal = await createCancelSignal(redis, subscriber, (runId) => any.push(runId));
    const calls = { one: 0, two: 0, other: 0 };
    const unwatch = signal.watch('run-1', () => (calls.one += 1));
    signal.watch('run-1', () => (calls.two += 1));
    signal.watch('run-2', () => (calls.other += 1));
    await createCancelNotifier(redis).notify('run-1');
    await until('the hint', () => any.length === 1);
    unwatch();
    unwatch();
    await signal.notify('run-1');
    await until('the second hint', () => any.length === 2);
    expect(calls).to.deep.equal({ one: 1, two: 2, other: 0 });
    await kill();
    await until('everyone to look again', () => calls.two === 3 && calls.other === 1);
    expect(calls.one).to.equal(1);
  });
});

describe('FL-4 the subscriber while Redis is away', function () {
  this.timeout(20_000);
  let gate: TcpGate;
  let redis: Redis;
  let connection: Redis;
  let subscriber: Subscriber;
  beforeEach(async () => {
    const { redisUrl } = await sharedServers();
    const { log } = captureLog();
    gate = await openGate(redisUrl);
    redis = await connectRedis(redisUrl, 'producer', log);
    connection = await connectRedis(gate.url, 'subscriber', log);
    subscriber = createSubscriber(connection, log, 300);
  });
  afterEach(async () => {
    await subscriber.close();
    redis.disconnect();
    await gate.close();
  });

  it('FL-4 to listen is refused after a bounded time, and leaves no channel when Redis is back', async () => {
    await gate.shut();
    await until('the loss to be noticed', () => connection.status !== 'ready');
    const refused = await failureOf(
      subscriber.listen('sworn:test:away', { onMessage: () => undefined, onReset: () => undefined }),
    );
    expect(refused).to.be.instanceOf(StoreUnavailable);
    await gate.open();
    await until('the connection to be back', () => connection.status === 'ready');
    let reset = 0;
    await subscriber.listen('sworn:test:back', { onMessage: () => undefined, onReset: () => (reset += 1) });
    expect(await redis.pubsub('NUMSUB', 'sworn:test:away', 'sworn:test:back')).to.deep.equal([
      'sworn:test:away',
      0,
      'sworn:test:back',
      1,
    ]);
  });
});
