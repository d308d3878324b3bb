/**
 * One Tool job: claim, run, write the canonical record (only over none that is READY), write the row, tell the frame.
 * Every end of the tool is a fact of the invocation; none fails the job.
 */
import { createHash } from 'node:crypto';
import type { ToolJob } from '../../shared/domain/contracts/jobs.js';
import {
  TOOL_CONTRACTS,
  isToolName,
  type Projection,
} from '../../shared/domain/contracts/tools/catalogue.js';
import type { ToolName } from '../../shared/domain/contracts/tools/common.js';
import { parseRecord } from '../../shared/domain/guards/canonical-record.js';
import { evidenceKey } from '../../shared/domain/run/saturation.js';
import { requestedScope, typedScopeOf } from './shown-scope.js';
import type { CanonicalStore } from '../../shared/ports/canonical-store.js';
import type { Clock } from '../../shared/ports/clock.js';
import type { JobOutcome } from '../../shared/ports/job-runner.js';
import type {
  InvocationClaim,
  InvocationEnd,
  InvocationRecord,
  RunStore,
} from '../../shared/ports/run-store.js';
import type { Tool, ToolResult } from '../../shared/ports/tool.js';
import { withActivation, type Activation, type ActivationDeps } from '../activation.js';
import { toolFrame, type Frames } from '../frames.js';

export interface CallToolDeps extends ActivationDeps {
  store: RunStore;
  canonical: CanonicalStore;
  frames: Frames;
  clock: Clock;
  tools: ReadonlyMap<ToolName, Tool>;
  toolTimeoutMs: number;
  runTimeoutMs: number;
  maxResultBytes: number;
}

/** How long a tool may take to stop. */
const ABANDON_MS = 3000;

type Claimed = Extract<InvocationClaim, { ok: true }>;

export async function callTool(deps: CallToolDeps, job: ToolJob, signal: AbortSignal): Promise<JobOutcome> {
  const claimed = await deps.store.claimInvocation(job.runId, job.call, deps.clock.now());
  if (!claimed.ok) return 'done';
  return withActivation(deps, job.runId, signal, (activation) => work(deps, claimed, activation));
}

async function work(deps: CallToolDeps, claimed: Claimed, activation: Activation): Promise<JobOutcome> {
  const { invocation, run } = claimed;
  const toolCallId = invocation.toolCallId;
  if (toolCallId === null || !isToolName(invocation.tool)) return 'done';
  const base = { runId: run.runId, rounds: invocation.round, frameSeq: run.frameSeq };
  const [begun] = await Promise.all([
    deps.canonical.begin({
      runId: run.runId,
      toolCallId,
      tool: invocation.tool,
      claim: invocation.claim,
      startedAt: (invocation.startedAt ?? deps.clock.now()).toISOString(),
    }),
    deps.frames.publish(base, [toolFrame(invocation, requestedScope(invocation, run.context))]),
  ]);
  if (begun === 'stale') return 'done';
  if (begun === 'ready') return adopt(deps, claimed, toolCallId);
  const result = await execute(deps, claimed, invocation.tool, toolCallId, activation.signal);
  const stopped = activation.stopped();
  if (stopped === 'LOST') return 'done';
  if (stopped === 'SHUTDOWN') return 'again';
  const end = stopped === 'CANCELLED' ? cancelled(result, deps.clock.now()) : toEnd(result, deps.clock.now());
  return write(deps, claimed, toolCallId, end);
}

async function write(
  deps: CallToolDeps,
  claimed: Claimed,
  toolCallId: string,
  end: InvocationEnd,
): Promise<JobOutcome> {
  const { invocation, run } = claimed;
  const finished = await deps.canonical.finish({
    runId: run.runId,
    toolCallId,
    claim: invocation.claim,
    status: end.status,
    evidenceStatus: end.evidenceStatus ?? 'ERROR',
    scope: end.scope ?? '',
    agentResult: end.agentResult ?? '',
    finishedAt: end.finishedAt.toISOString(),
  });
  // A record that was begun and is gone (the store lost it) cannot be cited, so it is no evidence either.
  const standing = finished === 'written' ? end : lostEnd(end.finishedAt);
  return record(deps, claimed, standing);
}

async function record(deps: CallToolDeps, claimed: Claimed, end: InvocationEnd): Promise<JobOutcome> {
  const { invocation, run } = claimed;
  const written = await deps.store.endInvocation(run.runId, invocation.call, invocation.claim, end);
  if (written === 'lost') return 'done';
  const ended: InvocationRecord = { ...invocation, ...end };
  await deps.frames.publish({ runId: run.runId, rounds: invocation.round, frameSeq: run.frameSeq }, [
    toolFrame(ended, typedScopeOf(ended, run.context)),
  ]);
  return 'done';
}

/** An earlier worker wrote the READY record and died before its row: the record stands, the tool is not run again. */
async function adopt(deps: CallToolDeps, claimed: Claimed, toolCallId: string): Promise<JobOutcome> {
  const [raw] = await deps.canonical.load(claimed.run.runId, [toolCallId]);
  const parsed = raw === undefined || raw === null ? null : parseRecord(claimed.run.runId, toolCallId, raw);
  const now = deps.clock.now();
  if (parsed === null || !parsed.ok) return record(deps, claimed, lostEnd(now));
  return record(deps, claimed, toEnd({ ok: true, projection: parsed.record.projection }, now));
}

async function execute(
  deps: CallToolDeps,
  claimed: Claimed,
  name: ToolName,
  toolCallId: string,
  signal: AbortSignal,
): Promise<ToolResult> {
  const tool = deps.tools.get(name);
  if (tool === undefined)
    return { ok: false, code: 'UNAVAILABLE', message: `${name} has no backend here; go on without it.` };
  const args = TOOL_CONTRACTS[name].args.safeParse(parseJson(claimed.invocation.arguments));
  if (!args.success)
    return { ok: false, code: 'INVALID_ARGUMENTS', message: 'The arguments do not fit the schema.' };
  const left = claimed.run.startedAt.getTime() + deps.runTimeoutMs - deps.clock.now().getTime();
  const controller = new AbortController();
  const onAbort = (): void => {
    controller.abort(signal.reason);
  };
  const timer = setTimeout(
    () => {
      controller.abort(new DOMException('the tool took too long', 'TimeoutError'));
    },
    Math.max(1, Math.min(deps.toolTimeoutMs, left)),
  );
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  try {
    const running = tool.run(args.data, {
      toolCallId,
      signal: controller.signal,
      maxResultBytes: deps.maxResultBytes,
    });
    return await Promise.race([running, abandoned(controller.signal)]);
  } catch (error) {
    deps.log.error({ tool: name, err: error }, 'a tool broke its contract and threw');
    return { ok: false, code: 'FAILED', message: `${name} failed inside; the call came to nothing.` };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/**
 * A tool that does not stop when it is told to (a read from a dead file server cannot be interrupted) is left behind after
 * a while, so that its Run goes on.
 */
async function abandoned(signal: AbortSignal): Promise<ToolResult> {
  await new Promise<void>((resolve) => {
    const wait = (): void => {
      setTimeout(resolve, ABANDON_MS).unref();
    };
    if (signal.aborted) wait();
    else signal.addEventListener('abort', wait, { once: true });
  });
  return { ok: false, code: 'TIMEOUT', message: 'The tool did not stop in time; narrow the request.' };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toEnd(result: ToolResult, finishedAt: Date): InvocationEnd {
  if (!result.ok) {
    return {
      ...nothing(finishedAt),
      errorCode: result.code,
      errorMessage: result.message,
      scope: result.scope === undefined ? null : JSON.stringify(result.scope),
    };
  }
  const { projection } = result;
  const agentResult = JSON.stringify(projection);
  return {
    status: 'READY',
    evidenceStatus: projection.evidence_status,
    errorCode: null,
    errorMessage: null,
    scope: JSON.stringify(projection.scope),
    agentResult,
    contentHash: createHash('sha256').update(evidenceKey(projection)).digest('hex'),
    resultBytes: Buffer.byteLength(agentResult),
    matched: matchedOf(projection),
    finishedAt,
  };
}

/** A late result of a cancelled Run is discarded, whatever it was. */
function cancelled(result: ToolResult, finishedAt: Date): InvocationEnd {
  const scope = result.ok ? result.projection.scope : result.scope;
  return {
    ...nothing(finishedAt),
    errorCode: 'CANCELLED',
    errorMessage: 'The Run was cancelled.',
    scope: scope === undefined ? null : JSON.stringify(scope),
  };
}

function lostEnd(finishedAt: Date): InvocationEnd {
  return {
    ...nothing(finishedAt),
    errorCode: 'LOST',
    errorMessage: 'The result was lost before it could be kept.',
  };
}

function nothing(finishedAt: Date): InvocationEnd {
  return {
    status: 'ERROR',
    evidenceStatus: 'ERROR',
    errorCode: 'FAILED',
    errorMessage: null,
    scope: null,
    agentResult: null,
    contentHash: null,
    resultBytes: null,
    matched: null,
    finishedAt,
  };
}

function matchedOf(projection: Projection): number {
  switch (projection.tool) {
    case 'log_search':
      return projection.matched;
    case 'mysql_query':
      return projection.row_count;
    case 'rag_lookup':
      return projection.documents.length;
  }
}
