/** The life of a trial: signals, one fleet, the work, and everything stopped again, however it ends. */
import { ClientFault } from '../src/cli/client/client-fault.js';
import type { Fleet } from '../src/fleet/fleet.js';
import { watchStopSignals, type StopSignals } from '../src/fleet/stop-signals.js';
import { EnvFault } from '../src/shared/runtime/env.js';
import { StartFault } from '../src/shared/runtime/start-fault.js';
import { SqlScriptFault } from './corpus/sql-script.js';

export interface StartedTrial {
  fleet: Fleet;
  /** @returns what went wrong, one sentence each. */
  run(): Promise<string[]>;
}

export type TrialStart = (
  signals: StopSignals,
  /** Something that cannot be mended died: the trial stops and fails. */
  onLost: (message: string) => void,
) => Promise<StartedTrial>;

const INTERRUPTED = 130;

/** @returns the exit code: 0 when nothing went wrong, 130 when it was stopped before its work was done. */
export async function runTrial(complain: (message: string) => void, start: TrialStart): Promise<number> {
  const signals = watchStopSignals();
  const faults: string[] = [];
  const onLost = (message: string): void => {
    faults.push(message);
    signals.request();
  };
  let started: StartedTrial | undefined;
  let interrupted = false;
  try {
    started = await start(signals, onLost);
    faults.push(...(await started.run()));
  } catch (error) {
    interrupted = signals.stop.aborted;
    if (!interrupted) faults.push(knownMessage(error));
  } finally {
    await started?.fleet.stop(signals.hurry);
    signals.dispose();
  }
  for (const fault of faults) complain(fault);
  if (faults.length > 0) return 1;
  return interrupted ? INTERRUPTED : 0;
}

/** What a person can act on is one message; anything else is a fault of the program and shows where it is. */
function knownMessage(error: unknown): string {
  const known = [StartFault, EnvFault, ClientFault, SqlScriptFault];
  if (error instanceof Error && known.some((kind) => error instanceof kind)) return error.message;
  throw error;
}
