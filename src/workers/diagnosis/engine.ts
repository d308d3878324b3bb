/** What the diagnosis worker's steps share. */
import { agentAttemptsLeft, type Budgets } from '../../shared/domain/run/budgets.js';
import type { ToolName } from '../../shared/domain/contracts/tools/common.js';
import type { Clock } from '../../shared/ports/clock.js';
import type { ConversationWindow } from '../../shared/ports/conversation.js';
import type { Logger } from '../../shared/ports/logger.js';
import type { ModelClient, ModelReply } from '../../shared/ports/model-client.js';
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
  /** What is left of the Run's time, at most `atMost`, at least 1 ms. */
  timeLeft: (run: EngineRun, atMost: number) => number;
}

/** The Run's list of models with the one that answered, when it is new. */
export function withModel(run: EngineRun, reply: ModelReply | null): { models?: readonly string[] } {
  if (reply === null || reply.model === '' || run.models.includes(reply.model)) return {};
  run.models.push(reply.model.slice(0, 128));
  return { models: run.models };
}

/** A Run's time begins when it is first taken up: waiting in the queue is not its fault. */
export function createTimeLeft(clock: Clock, budgets: Budgets): EngineDeps['timeLeft'] {
  return (run, atMost) => {
    const began = (run.startedAt ?? run.createdAt).getTime();
    return Math.max(1, Math.min(atMost, began + budgets.timeoutMs - clock.now().getTime()));
  };
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
