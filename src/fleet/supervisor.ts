/**
 * Runs a set of commands side by side: one that dies is started again after a pause that grows while it keeps dying;
 * all end with this process, since each holds a pipe from it as its stdin (`SWORN_SUPERVISED=1`).
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { createConcurrently, Logger, LogOutput, type Command, type FlowController } from 'concurrently';
import { LineTail } from './bounded-log.js';
import { fileSink, lineSink, type OutputChoice, type OutputSink } from './process-output.js';
import { sendSignal } from './process-identity.js';

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
/** One that lived longer than this starts afresh in the count of deaths. */
const STEADY_MS = 20_000;
const TAIL_LINES = 12;
const COLOURS = ['cyan', 'magenta', 'yellow', 'green'];

export interface Death {
  process: string;
  /** `exit code 1` or a signal's name. */
  how: string;
  /** In quick succession, this one included. */
  count: number;
  /** The last lines it printed. */
  lastWords: string;
}

export interface SupervisorOptions {
  commands: readonly { name: string; command: string }[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  output: OutputChoice;
  /** A line for the person who started this. */
  say: (line: string) => void;
  /** Each death that nobody asked for; false leaves the process dead. */
  onDeath?: (death: Death) => boolean;
}

export interface Supervisor {
  /** Process IDs of those that run now, by name. */
  pids(): Map<string, number>;
  /**
   * SIGTERM to all, then SIGKILL to those that are left after `graceMs` or when `hurry` aborts. Resolves when all are
   * gone. Never rejects.
   */
  stop(graceMs: number, hurry?: AbortSignal): Promise<void>;
}

/** Starts all commands. */
export function supervise(options: SupervisorOptions): Supervisor {
  const restarts = new RestartAlways(options);
  const terminal = options.output.kind === 'terminal';
  const logger = new Logger({ prefixFormat: 'name' });
  logger.setPrefixLength(Math.max(...options.commands.map(({ name }) => name.length)));
  const colours = terminal && process.stdout.isTTY && (process.env['NO_COLOR'] ?? '') === '';
  logger.toggleColors(colours);
  const { result } = createConcurrently(
    options.commands.map(({ name, command }) => ({ name, command })),
    {
      cwd: options.cwd,
      prefixColors: COLOURS,
      spawn: (command, { stdio, cwd }) => spawnGroup(command, { stdio, cwd }, options.env),
      kill: (pid, signal) => {
        sendSignal(pid, (signal ?? 'SIGTERM') as NodeJS.Signals);
      },
      controllers: [restarts, ...(terminal ? [new LogOutput({ logger })] : [])],
      ...(terminal ? { logger, outputStream: process.stdout } : {}),
    },
  );
  /** Settles once none runs for a moment; who lives and who is started again is the controller's affair. */
  result.catch(() => undefined);
  return restarts;
}

/**
 * `exec` makes the command the direct child, so that signals and the end of the pipe reach it and not a shell. In a
 * process group of its own: a Ctrl-C in the terminal is for the supervisor, which stops things in order.
 */
function spawnGroup(
  command: string,
  options: { stdio?: unknown; cwd?: string | URL | undefined },
  env: NodeJS.ProcessEnv,
): ChildProcess {
  return spawn('/bin/sh', ['-c', `exec ${command}`], {
    stdio: ['pipe', 'pipe', 'pipe'],
    cwd: options.cwd,
    env: { ...env, SWORN_SUPERVISED: '1' },
    detached: true,
  });
}

/** Also starts a process again that ended with code 0: a part of the fleet has no business to end by itself. */
class RestartAlways implements FlowController, Supervisor {
  private readonly running = new Set<Command>();
  private readonly pauses = new Map<Command, NodeJS.Timeout>();
  private readonly deaths = new Map<Command, number>();
  private readonly tails = new Map<Command, LineTail>();
  private readonly sink: OutputSink | null;
  private readonly idle = new Set<() => void>();
  private stopping = false;

  constructor(private readonly options: SupervisorOptions) {
    this.sink = openSink(options.output);
  }

  handle(commands: Command[]): { commands: Command[] } {
    for (const command of commands) {
      this.running.add(command);
      const keep = (chunk: Buffer): void => {
        this.tailOf(command).push(chunk);
        this.sink?.write(command.name, chunk);
      };
      command.stdout.subscribe(keep);
      command.stderr.subscribe(keep);
      command.error.subscribe((error) => {
        this.died(command, (error as NodeJS.ErrnoException).code ?? 'could not be started', 0);
      });
      command.close.subscribe(({ exitCode, timings }) => {
        const how = typeof exitCode === 'number' ? `exit code ${exitCode}` : exitCode;
        this.died(command, how, timings.durationSeconds * 1000);
      });
    }
    return { commands };
  }

  pids(): Map<string, number> {
    return new Map([...this.running].flatMap(({ name, pid }) => (pid === undefined ? [] : [[name, pid]])));
  }

  async stop(graceMs: number, hurry?: AbortSignal): Promise<void> {
    this.stopping = true;
    for (const pause of this.pauses.values()) clearTimeout(pause);
    this.pauses.clear();
    const kill = (): void => {
      for (const command of this.running) command.kill('SIGKILL');
    };
    for (const command of this.running) command.kill('SIGTERM');
    if (hurry?.aborted === true) kill();
    hurry?.addEventListener('abort', kill);
    const late = setTimeout(kill, graceMs);
    if (this.running.size > 0) await new Promise<void>((resolve) => this.idle.add(resolve));
    clearTimeout(late);
    hurry?.removeEventListener('abort', kill);
    this.sink?.close();
  }

  private died(command: Command, how: string, livedMs: number): void {
    if (!this.running.delete(command)) return;
    if (this.stopping) {
      if (this.running.size === 0) for (const resolve of this.idle) resolve();
      return;
    }
    const count = livedMs > STEADY_MS ? 1 : (this.deaths.get(command) ?? 0) + 1;
    this.deaths.set(command, count);
    const death = { process: command.name, how, count, lastWords: this.tailOf(command).toString() };
    if (this.options.onDeath?.(death) === false || this.isStopping()) return;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (count - 1), MAX_PAUSE_MS);
    this.options.say(`${command.name} died (${how}); starting it again in ${pauseMs / 1000} s`);
    this.pauses.set(
      command,
      setTimeout(() => {
        this.pauses.delete(command);
        this.tails.delete(command);
        this.running.add(command);
        command.start();
      }, pauseMs),
    );
  }

  /** A listener may have asked for the end meanwhile. */
  private isStopping(): boolean {
    return this.stopping;
  }

  private tailOf(command: Command): LineTail {
    let tail = this.tails.get(command);
    if (tail === undefined) this.tails.set(command, (tail = new LineTail(TAIL_LINES)));
    return tail;
  }
}

function openSink(output: OutputChoice): OutputSink | null {
  switch (output.kind) {
    case 'terminal':
      return null;
    case 'files':
      return fileSink(output.dir);
    case 'listener':
      return lineSink(output.listener);
  }
}
