/**
 * One activation of a Run's diagnose job: claim, read what is committed, do what the core says comes next, park while
 * tools run. Everything it knows is in the stores, so any process can do the next activation.
 */
import type { RunJob } from '../../shared/domain/contracts/jobs.js';
import { openingEvents } from '../../shared/domain/run/opening-events.js';
import { nextStep, type NextStep } from '../../shared/domain/run/next-step.js';
import type { JobOutcome, ParentJob } from '../../shared/ports/job-runner.js';
import type { EngineRun, InvocationRecord, RunContext, StopReason } from '../../shared/ports/run-store.js';
import { withActivation, type Activation } from '../activation.js';
import { intentFrame, statusFrame, stepFrame, toolFrame } from '../frames.js';
import { agentRound } from './agent-round.js';
import type { EngineDeps } from './engine.js';
import { gatherContext, type MaterialSource } from './gather-context.js';
import { routeIntent } from './route-intent.js';
import { isOpen, pendingToolJobs, runState, type CommittedFacts } from './run-facts.js';
import { typedScopeOf } from './shown-scope.js';

export interface DiagnoseDeps extends EngineDeps {
  material: MaterialSource;
  saturationRounds: number;
}

export async function diagnose(
  deps: DiagnoseDeps,
  job: RunJob,
  parent: ParentJob,
  signal: AbortSignal,
): Promise<JobOutcome> {
  const claimed = await deps.store.claim(job.runId, 'diagnose', job.attempt, deps.clock.now());
  if (!claimed.ok) {
    if (claimed.reason === 'cancelled') await parent.dropWaitingChildren();
    return 'done';
  }
  const { run } = claimed;
  return withActivation(deps, run.runId, signal, (activation) => work(deps, run, parent, activation));
}

async function work(
  deps: DiagnoseDeps,
  run: EngineRun,
  parent: ParentJob,
  activation: Activation,
): Promise<JobOutcome> {
  const opened = deps.frames.publish(run, openingFrames(run));
  const [context, committed] = await Promise.all([
    gatherContext(deps, deps.material, run),
    readFacts(deps, run),
    opened,
  ]);
  if (context === null) return ended(deps, run, parent, activation);
  let facts = committed;
  if (run.rounds > 0) await deps.frames.publish(run, roundFrames(run.rounds, facts.invocations, context));
  while (activation.stopped() === null) {
    const step = nextStep(runState(facts, deps.clock.now()), deps.budgets, deps.saturationRounds);
    const next = await take(deps, step, facts, context, parent, activation);
    if (next === 'parked' || next === 'done') return next;
    if (next === 'stopped') break;
    facts = next;
  }
  return ended(deps, run, parent, activation);
}

/** Does one step. @returns the facts after it, or how the activation ends. */
async function take(
  deps: DiagnoseDeps,
  step: NextStep,
  facts: CommittedFacts,
  context: RunContext,
  parent: ParentJob,
  activation: Activation,
): Promise<CommittedFacts | 'parked' | 'done' | 'stopped'> {
  const { run } = facts;
  switch (step.kind) {
    case 'await_tools':
      await parent.addToolJobs(run.runId, run.attempt, pendingToolJobs(facts.invocations));
      return (await parent.park()) ? 'parked' : closeLost(deps, facts, context);
    case 'route': {
      const intent = await routeIntent(deps, run, context, activation.signal);
      if (intent === 'stopped') return 'stopped';
      await deps.frames.publish(run, [intentFrame(intent)]);
      return facts;
    }
    case 'model_round': {
      const round = await agentRound(deps, facts, context, step, activation.signal);
      if (round === 'stopped') return 'stopped';
      if (round === 'spent') return stopAgent(deps, run, 'BUDGET');
      const invocations = [...facts.invocations, ...round.invocations];
      await deps.frames.publish(run, roundFrames(step.round, invocations, context));
      return { run, steps: [...facts.steps, round.step], invocations };
    }
    case 'stop':
      return stopAgent(deps, run, step.reason);
    case 'review':
      return 'done';
  }
}

/** A controlled stop (RP-8): recorded, and never shown. */
async function stopAgent(
  deps: DiagnoseDeps,
  run: EngineRun,
  reason: StopReason,
): Promise<'done' | 'stopped'> {
  deps.log.info({ runId: run.runId, reason }, 'the agent was stopped');
  const written = await deps.store.recordStop({ runId: run.runId, epoch: run.epoch }, reason);
  return written === 'written' ? 'done' : 'stopped';
}

async function readFacts(deps: DiagnoseDeps, run: EngineRun): Promise<CommittedFacts> {
  if (run.rounds === 0 && run.intent === null) return { run, steps: [], invocations: [] };
  const [steps, invocations] = await Promise.all([
    deps.store.steps(run.runId),
    deps.store.invocations(run.runId),
  ]);
  return { run, steps, invocations };
}

/** How an interrupted activation leaves its job. A lost one touches nothing: its successor may have added children. */
async function ended(
  deps: DiagnoseDeps,
  run: EngineRun,
  parent: ParentJob,
  activation: Activation,
): Promise<JobOutcome> {
  if (activation.stopped() === 'SHUTDOWN') return 'again';
  if (activation.stopped() === 'LOST') return 'done';
  const now = await deps.store.load(run.runId);
  if (now === null || now.cancelRequestedAt !== null || now.releaseOutcome !== null)
    await parent.dropWaitingChildren();
  return 'done';
}

/** Open calls whose jobs have all ended: whoever ran them died between job and row. They end as ERROR. */
async function closeLost(
  deps: DiagnoseDeps,
  facts: CommittedFacts,
  context: RunContext,
): Promise<CommittedFacts> {
  const { run } = facts;
  const fresh = await deps.store.invocations(run.runId);
  const open = fresh.filter(isOpen);
  if (open.length > 0)
    await deps.store.closeOpenInvocations({ runId: run.runId, epoch: run.epoch }, 'LOST', deps.clock.now());
  const invocations = open.length === 0 ? fresh : await deps.store.invocations(run.runId);
  await deps.frames.publish(
    run,
    invocations
      .filter((record) => open.some(({ call }) => call === record.call) && !isOpen(record))
      .map((record) => toolFrame(record, typedScopeOf(record, context))),
  );
  return { ...facts, invocations };
}

/** The frames before the first round; keys that are in the log already stay as they are, here and below. */
function openingFrames(run: EngineRun) {
  return [
    ...openingEvents(run.sessionId),
    statusFrame('RUNNING'),
    ...(run.intent === null ? [] : [intentFrame(run.intent)]),
  ];
}

function roundFrames(round: number, invocations: readonly InvocationRecord[], context: RunContext) {
  return [
    stepFrame(round, invocations),
    ...invocations
      .filter((record) => record.round === round && !isOpen(record))
      .map((record) => toolFrame(record, typedScopeOf(record, context))),
  ];
}
