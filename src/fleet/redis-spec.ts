/** The embedded Redis (or Valkey): loopback, a password, append-only file, nothing evicted (contract §6). */
import { connect } from 'node:net';
import { join } from 'node:path';
import { writePrivately, type DataDir } from './data-dir.js';
import type { Durability, ServerSpec } from './server-spec.js';

const PROBE_MS = 1000;

export function redisSpec(
  dir: DataDir,
  program: string,
  password: string,
  durability: Durability,
): ServerSpec {
  const config = join(dir.redis, 'redis.conf');
  const pidFile = join(dir.redis, 'redis.pid');
  return {
    name: 'redis',
    program,
    pidFile,
    logFile: join(dir.logs, 'redis.log'),
    mark: config,
    stopMs: 10_000,
    stopSignal: durability === 'kept' ? 'SIGTERM' : 'SIGKILL',
    startMs: 60_000,
    prepare: (port) =>
      writePrivately(config, redisConfig({ port, password, pidFile, dir: dir.redis, durability })),
    arguments: () => [config],
    answers: (port) => ping(port, password),
  };
}

interface ConfigValues {
  port: number;
  password: string;
  pidFile: string;
  dir: string;
  durability: Durability;
}

/** The process title stays the command line, since that is how a stranded server is recognised. */
function redisConfig(values: ConfigValues): string {
  return [
    'bind 127.0.0.1',
    `port ${values.port}`,
    'protected-mode yes',
    `requirepass ${values.password}`,
    'daemonize no',
    'set-proc-title no',
    `dir ${JSON.stringify(values.dir)}`,
    `pidfile ${JSON.stringify(values.pidFile)}`,
    'logfile ""',
    `appendonly ${values.durability === 'kept' ? 'yes' : 'no'}`,
    'appendfsync everysec',
    'save ""',
    'maxmemory-policy noeviction',
    '',
  ].join('\n');
}

/** Authenticates and sends PING over a connection of its own; anything but PONG (loading, refused) is false. */
function ping(port: number, password: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    let seen = '';
    const end = (answered: boolean): void => {
      socket.destroy();
      resolve(answered);
    };
    socket.setTimeout(PROBE_MS, () => {
      end(false);
    });
    socket.once('connect', () => socket.write(`AUTH ${password}\r\nPING\r\n`));
    socket.on('data', (chunk) => {
      seen = (seen + chunk.toString('latin1')).slice(0, 1024);
      if (seen.startsWith('-')) end(false);
      else if (seen.startsWith('+OK\r\n') && seen.length > 6) end(seen.startsWith('+OK\r\n+PONG'));
    });
    socket.once('error', () => {
      end(false);
    });
    socket.once('close', () => {
      end(false);
    });
  });
}
