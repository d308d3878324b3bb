/** Connections: servers that would lose work are refused, producers fail in bounded time, and secrets stay unsaid. */
import { createServer, type AddressInfo, type Server } from 'node:net';
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { createRunQueue } from '../../src/shared/adapters/bullmq/run-queue.js';
import { createCanonicalStore } from '../../src/shared/adapters/redis/canonical-store.js';
import { createConversationWindow } from '../../src/shared/adapters/redis/conversation-window.js';
import { createEventPublisher } from '../../src/shared/adapters/redis/event-log.js';
import {
  checkRedis,
  closeRedis,
  connectRedis,
  guarded,
} from '../../src/shared/adapters/redis/redis-connection.js';
import { StoreUnavailable } from '../../src/shared/ports/errors.js';
import { StartFault } from '../../src/shared/runtime/start-fault.js';
import { uuidIds } from '../../src/shared/runtime/identity.js';
import { freePort } from '../support/test-fleet.js';
import { sharedServers } from '../support/shared-servers.js';
import { until } from '../support/until.js';
import { captureLog } from './support/captured-log.js';
import { failureOf } from './support/failure.js';
import { openGate } from './support/tcp-gate.js';

describe('FL-5 Redis that would lose work', function () {
  this.timeout(20_000);
  let redis: Redis;
  before(async () => {
    redis = await connectRedis((await sharedServers()).redisUrl, 'worker', captureLog().log);
  });
  after(() => closeRedis(redis));

  it('FL-5 one that is as it should be passes', async () => {
    await checkRedis(redis);
  });

  it('FL-5 one that evicts keys is refused, whatever the policy, with the way out', async () => {
    for (const policy of ['allkeys-lru', 'volatile-ttl']) {
      await redis.config('SET', 'maxmemory-policy', policy);
      try {
        const error = await failureOf(checkRedis(redis));
        expect(error).to.be.instanceOf(StartFault);
        expect((error as Error).message)
          .to.match(/^REDIS_URL /)
          .and.to.include(policy)
          .and.to.include('noeviction');
      } finally {
        await redis.config('SET', 'maxmemory-policy', 'noeviction');
      }
    }
  });

  it('FL-5 one that is too old, or does not say how old, is refused; Valkey passes', async () => {
    const verdict = async (info: string): Promise<unknown> => {
      const server = await startInfoServer(info);
      const client = await connectRedis(`redis://127.0.0.1:${portOf(server)}`, 'worker', captureLog().log);
      try {
        await checkRedis(client);
        return null;
      } catch (error) {
        return error;
      } finally {
        client.disconnect();
        await new Promise((resolve) => server.close(resolve));
      }
    };
    const old = await verdict('redis_version:6.2.14\r\nmaxmemory_policy:noeviction\r\n');
    expect(old).to.be.instanceOf(StartFault);
    expect((old as Error).message)
      .to.include('6.2.14')
      .and.to.include('Redis ≥ 7');
    expect(await verdict('maxmemory_policy:noeviction\r\n')).to.be.instanceOf(StartFault);
    expect(await verdict('redis_version:10.0.0\r\nmaxmemory_policy:noeviction\r\n')).to.equal(null);
    expect(
      await verdict('redis_version:6.9\r\nvalkey_version:8.0.1\r\nmaxmemory_policy:noeviction\r\n'),
    ).to.equal(null);
  });

  it('FL-5 one that is full, read-only to us or failing to persist is out of reach, and a wrong type is a fault', async () => {
    const key = 'sworn:test:wrong-type';
    await redis.set(key, 'x');
    expect(await failureOf(guarded(redis.lpush(key, 'y')))).not.to.be.instanceOf(StoreUnavailable);
    await redis.del(key);
    await redis.config('SET', 'maxmemory', '1');
    try {
      const publisher = createEventPublisher(redis, 60);
      const event = { key: 'metadata', event: { event: 'metadata', data: { sessionId: 's' } } } as const;
      const full = await failureOf(
        publisher.publish(uuidIds.runId(), [event], 0, '2026-11-30T10:00:00.000Z'),
      );
      expect(full).to.be.instanceOf(StoreUnavailable);
      const window = createConversationWindow(redis);
      expect(
        await failureOf(window.append('ses-full', { query: 'q', answer: 'a', at: 'x' })),
      ).to.be.instanceOf(StoreUnavailable);
    } finally {
      await redis.config('SET', 'maxmemory', '0');
    }
  });
});

describe('FL-1 Redis that is away', function () {
  this.timeout(20_000);

  it('FL-1 nobody listens at start: out of reach, at once, and nothing of the URL is told or logged', async () => {
    for (const kind of ['producer', 'worker', 'subscriber'] as const) {
      const captured = captureLog();
      const url = `redis://user:SECRET-PW@127.0.0.1:${await freePort()}`;
      const error = await failureOf(connectRedis(url, kind, captured.log));
      expect(error).to.be.instanceOf(StoreUnavailable).with.property('what', 'Redis');
      expect(String(error) + captured.text()).not.to.include('SECRET-PW');
    }
  });

  it('SE-1 a wrong password: out of reach, without the password in the log', async () => {
    const { redisUrl } = await sharedServers();
    const url = new URL(redisUrl);
    url.username = 'nobody';
    url.password = 'SECRET-PW';
    const captured = captureLog();
    expect(await failureOf(connectRedis(url.toString(), 'producer', captured.log))).to.be.instanceOf(
      StoreUnavailable,
    );
    expect(captured.lines().length).to.be.greaterThan(0);
    expect(captured.text()).not.to.include('SECRET-PW');
  });

  it('FL-1 producers reject at once while it is away, and work again when it is back', async () => {
    const gate = await openGate((await sharedServers()).redisUrl);
    const captured = captureLog();
    const redis = await connectRedis(gate.url, 'producer', captured.log);
    const queue = createRunQueue(redis);
    const canonical = createCanonicalStore(redis, 60);
    try {
      expect(await queue.waitingRuns()).to.be.a('number');
      await gate.shut();
      await until('the loss to be noticed', () => redis.status !== 'ready');
      const outcomes = await Promise.all([
        failureOf(queue.enqueueRun(uuidIds.runId(), 1)),
        failureOf(queue.waitingRuns()),
        failureOf(queue.isLive(uuidIds.runId(), 1)),
        failureOf(canonical.load('run-x', ['a'])),
      ]);
      for (const error of outcomes) expect(error).to.be.instanceOf(StoreUnavailable);
      await until('a fruitless attempt to be logged', () => captured.text().includes('redis connection'));
      await gate.open();
      await until('the connection to be back', () => redis.status === 'ready');
      expect(await queue.waitingRuns()).to.be.a('number');
      expect(captured.text()).not.to.include(new URL(gate.url).host);
    } finally {
      await queue.close();
      redis.disconnect();
      await gate.close();
    }
  });

  it('FL-5 a worker’s command waits for Redis to come back', async () => {
    const gate = await openGate((await sharedServers()).redisUrl);
    const redis = await connectRedis(gate.url, 'worker', captureLog().log);
    try {
      await gate.shut();
      await until('the loss to be noticed', () => redis.status !== 'ready');
      const answer = redis.ping();
      await gate.open();
      expect(await answer).to.equal('PONG');
    } finally {
      redis.disconnect();
      await gate.close();
    }
  });

  it('FL-5 closing ends a connection that cannot say goodbye too', async () => {
    const gate = await openGate((await sharedServers()).redisUrl);
    const redis = await connectRedis(gate.url, 'worker', captureLog().log);
    await gate.close();
    await closeRedis(redis);
    await until('the end', () => redis.status === 'end');
  });
});

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** Answers INFO with that text and everything else with OK, in Redis's protocol. */
async function startInfoServer(info: string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      for (const command of chunk.toString('utf8').split(/(?=\*\d+\r\n)/)) {
        const name = command.split('\r\n')[2]?.toLowerCase();
        socket.write(name === 'info' ? `$${Buffer.byteLength(info)}\r\n${info}\r\n` : '+OK\r\n');
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
