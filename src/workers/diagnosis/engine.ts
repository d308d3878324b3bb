/** What the diagnosis worker's steps share. */
import { agentAttemptsLeft, type Budgets } from '../../shared/domain/run/budgets.js';
import type { ToolName } from '../../shared/domain/contracts/tools/common.js';
import type { Clock } from '../../shared/ports/clock.js';
import type { ConversationWindow } from '../../shared/ports/conversation.js';
import type { Logger } from '../../shared/ports/logger.js';
import type { ModelClient } from '../../shared/ports/model-client.js';
import type { EngineRun, RoundCommit, RunStore, SessionHistory } from '../../shared/ports/run-store.js';
import type { Tool } from '../../shared/ports/tool.js';
import type { ActivationDeps } from '../activation.js';
import type { Frames } from '../frames.js';

export interface EngineDeps extends ActivationDeps {
  store: RunStore;
  frames: Frames;
  model: ModelClient;
  conversation: ConversationWindow;
  history: SessionHistory;
  tools: ReadonlyMap<ToolName, Tool>;
  clock: Clock;
  log: Logger;
  budgets: Budgets;
  limits: { modelTimeoutMs: number };
  /** What is left of the Run's time, in ms; not positive when it is over. */
  timeLeft: (run: EngineRun) => number;
}

/** A Run's time begins when it is first taken up: waiting in the queue is not its fault. */
export function createTimeLeft(clock: Clock, budgets: Budgets): EngineDeps['timeLeft'] {
  return (run) => (run.startedAt ?? run.createdAt).getTime() + budgets.timeoutMs - clock.now().getTime();
}

/** Attempts of the inventory that the agent's own model calls still allow; the guards' reserve is not touched (BU-1). */
export function attemptsWithin(deps: Pick<EngineDeps, 'budgets'>, run: EngineRun, atMost: number): number {
  return Math.max(1, Math.min(atMost, agentAttemptsLeft(deps.budgets, run)));
}

/** Moves the Run's counters by what a commit has written, so that nobody reads the row again for them. */
export function advance(run: EngineRun, attempts: number, commit: RoundCommit): void {
  run.modelCalls += attempts;
  run.tokens += commit.tokens;
  run.toolCalls += commit.invocations.length;
  run.frameSeq += commit.frames;
  if (commit.step.stage !== 'router') run.rounds += 1;
  if (commit.intent !== undefined) run.intent = commit.intent;
}
