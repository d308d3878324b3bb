/** What is particular to one embedded server; how it is started, watched and stopped is the same for all. */
export interface ServerSpec {
  readonly name: 'redis' | 'mariadb';
  readonly program: string;
  readonly pidFile: string;
  readonly logFile: string;
  /** A path of this data folder that stands in the server's command line. */
  readonly mark: string;
  /** Data that is thrown away needs no orderly stop. */
  readonly stopSignal: 'SIGTERM' | 'SIGKILL';
  /** How long an orderly stop may take before it is killed. */
  readonly stopMs: number;
  /** How long it may take to answer; recovery after a crash counts. */
  readonly startMs: number;
  /** Writes what the server reads at its start. */
  prepare(port: number): Promise<void>;
  arguments(): string[];
  /** One attempt to get an answer; false when there is none yet. */
  answers(port: number): Promise<boolean>;
}

/** Throw-away servers keep nothing, so they need not wait for the disk. */
export type Durability = 'kept' | 'throw-away';
