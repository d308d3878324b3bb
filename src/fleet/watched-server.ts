/**
 * One embedded server under watch: started until it really answers, started again on the same port when it dies, given
 * up after {@link MAX_FAST_DEATHS} deaths in quick succession, stopped in order.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { StartFault } from '../shared/runtime/start-fault.js';
import { LineTail, openBoundedLog, type BoundedLog } from './bounded-log.js';
import { freePort, portFault } from './free-port.js';
import { endStranded } from './process-identity.js';
import type { ServerSpec } from './server-spec.js';

const MAX_FAST_DEATHS = 5;
const FAST_MS = 30_000;
const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 5000;
const PORT_ATTEMPTS = 5;
const POLL_MS = 20;
const LOG_BYTES = 4 * 1024 * 1024;
const TAIL_LINES = 12;

export interface ServerWatch {
  /** A line for the person who started sworn. */
  say(line: string): void;
  /** The server has been given up; it does not run any more. */
  lost(message: string): void;
}

export interface WatchedServer {
  readonly port: number;
  /** Ends the server in order; resolves when it is gone. Never rejects. */
  stop(): Promise<void>;
}

interface Life {
  child: ChildProcess;
  startedAt: number;
  /** Resolves when the process is gone, with the exit code or the signal. */
  gone: Promise<string>;
}

type Launch = { kind: 'ready'; life: Life } | { kind: 'died'; how: string } | { kind: 'silent' };

/**
 * Starts the server on a free port. A stranded one of an earlier life is ended first.
 * @throws {StartFault} with the last lines of its log.
 */
export async function startServer(
  spec: ServerSpec,
  watch: ServerWatch,
  signal: AbortSignal,
): Promise<WatchedServer> {
  await endLeftover(spec, watch);
  const output = openBoundedLog(spec.logFile, LOG_BYTES);
  const server = new Watched(spec, watch, output);
  try {
    return await server.start(signal);
  } catch (error) {
    output.close();
    throw error;
  }
}

async function endLeftover(spec: ServerSpec, watch: ServerWatch): Promise<void> {
  const text = await readFile(spec.pidFile, 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  if (pid > 0 && (await endStranded(pid, spec.mark, spec.stopMs))) {
    watch.say(`stopped ${spec.name} (process ${pid}), left over from a start that crashed`);
  }
  await rm(spec.pidFile, { force: true });
}

class Watched {
  private tail = new LineTail(TAIL_LINES);
  private readonly ending = new AbortController();
  private current: Life | undefined;
  private watching: Promise<void> = Promise.resolve();

  constructor(
    private readonly spec: ServerSpec,
    private readonly watch: ServerWatch,
    private readonly output: BoundedLog,
  ) {}

  async start(signal: AbortSignal): Promise<WatchedServer> {
    for (let attempt = 1; ; attempt += 1) {
      const port = await freePort();
      const launch = await this.launch(port, signal);
      if (launch.kind === 'ready') {
        this.watching = this.keepAlive(launch.life, port);
        return { port, stop: () => this.stop() };
      }
      const taken = launch.kind === 'died' && (await portFault('127.0.0.1', port)) !== null;
      if (!taken || attempt === PORT_ATTEMPTS) throw this.startFault(launch);
    }
  }

  private startFault(launch: Exclude<Launch, { kind: 'ready' }>): StartFault {
    const { name, logFile, startMs } = this.spec;
    const what =
      launch.kind === 'died'
        ? `ended at once (${launch.how})`
        : `gave no answer in ${Math.round(startMs / 1000)} s`;
    const words = this.tail.toString();
    return new StartFault(
      `The embedded ${name} ${what}${words === '' ? '.' : `; its last words:\n${words}`}\n` +
        `The whole log is ${logFile}. To use a server of your own, set ${name === 'redis' ? 'REDIS_URL' : 'DATABASE_URL'}.`,
    );
  }

  /** Runs it once and waits until it answers, dies, or takes too long. @throws the signal's reason. */
  private async launch(port: number, signal: AbortSignal): Promise<Launch> {
    await this.spec.prepare(port);
    signal.throwIfAborted();
    const life = this.spawn();
    const deadline = life.startedAt + this.spec.startMs;
    while (performance.now() < deadline && !signal.aborted) {
      const answers = await this.spec.answers(port);
      const how = await Promise.race([life.gone, delay(answers ? 0 : POLL_MS, null)]);
      if (how !== null) return { kind: 'died', how };
      if (answers) return { kind: 'ready', life };
    }
    await end(life, this.spec);
    signal.throwIfAborted();
    return { kind: 'silent' };
  }

  /** Detached: a Ctrl-C in the terminal is for the supervisor alone, which stops its servers last. */
  private spawn(): Life {
    this.tail = new LineTail(TAIL_LINES);
    const child = spawn(this.spec.program, this.spec.arguments(), {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      cwd: '/',
    });
    if (child.pid !== undefined) writeFileSync(this.spec.pidFile, `${child.pid}\n`, { mode: 0o600 });
    const keep = (chunk: Buffer): void => {
      this.tail.push(chunk);
      this.output.write(chunk);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    const gone = new Promise<string>((resolve) => {
      child.once('error', (error: NodeJS.ErrnoException) => {
        resolve(error.code ?? error.name);
      });
      child.once('close', (code, by) => {
        resolve(code === null ? String(by) : `exit code ${code}`);
      });
    });
    this.current = { child, startedAt: performance.now(), gone };
    return this.current;
  }

  private async keepAlive(first: Life, port: number): Promise<void> {
    let life = first;
    let deaths = 0;
    for (;;) {
      let how = await life.gone;
      let fast = performance.now() - life.startedAt < FAST_MS;
      for (;;) {
        if (this.ending.signal.aborted) return;
        deaths = fast ? deaths + 1 : 1;
        if (deaths > MAX_FAST_DEATHS) {
          this.giveUp(how);
          return;
        }
        const next = await this.again(how, deaths, port);
        if (next === null) return;
        if (next.kind === 'ready') {
          life = next.life;
          this.watch.say(`${this.spec.name} answers again`);
          break;
        }
        fast = true;
        how = next.kind === 'died' ? next.how : 'no answer';
      }
    }
  }

  /** @returns null when it is being stopped. */
  private async again(how: string, deaths: number, port: number): Promise<Launch | null> {
    this.watch.say(`${this.spec.name} died (${how}); starting it again (${deaths} of ${MAX_FAST_DEATHS})`);
    try {
      await delay(Math.min(FIRST_BACKOFF_MS * 2 ** (deaths - 1), MAX_BACKOFF_MS), undefined, {
        signal: this.ending.signal,
      });
      return await this.launch(port, this.ending.signal);
    } catch (error) {
      if (this.ending.signal.aborted) return null;
      return { kind: 'died', how: (error as NodeJS.ErrnoException).code ?? 'could not be started' };
    }
  }

  private giveUp(how: string): void {
    const { name, logFile } = this.spec;
    this.watch.lost(
      `${name} died ${MAX_FAST_DEATHS + 1} times in quick succession (${how}) and is given up; its last words:\n` +
        `${this.tail.toString()}\nThe whole log is ${logFile}.`,
    );
  }

  private async stop(): Promise<void> {
    this.ending.abort();
    if (this.current !== undefined) await end(this.current, this.spec);
    await this.watching;
    await rm(this.spec.pidFile, { force: true });
    this.output.close();
  }
}

/** The spec's signal, and SIGKILL when the time is up. */
async function end(life: Life, spec: ServerSpec): Promise<void> {
  life.child.kill(spec.stopSignal);
  const late = setTimeout(() => life.child.kill('SIGKILL'), spec.stopMs);
  await life.gone;
  clearTimeout(late);
}
