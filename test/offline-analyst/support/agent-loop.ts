/**
 * Plays the harness around the analyst: rounds, judged tool calls, transcript, EvidenceGuard, SemanticGuard's input. All of
 * it by the domain's own functions; logs are searched by the real tool.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answer } from '../../../src/offline-analyst/answer.js';
import { createLogSearchTool } from '../../../src/shared/adapters/logs/log-search-tool.js';
import { Draft } from '../../../src/shared/domain/contracts/draft.js';
import { TOOL_CONTRACTS, type Projection } from '../../../src/shared/domain/contracts/tools/catalogue.js';
import { TOOL_NAMES, type ToolName } from '../../../src/shared/domain/contracts/tools/common.js';
import { canonicalJson } from '../../../src/shared/domain/guards/canonical-json.js';
import { checkDraft, type GuardVerdict } from '../../../src/shared/domain/guards/evidence-guard.js';
import { isConcluded, visibleDraft } from '../../../src/shared/domain/guards/semantic.js';
import { judgeToolCalls } from '../../../src/shared/domain/guards/tool-call-identity.js';
import {
  agentMessages,
  type CommittedCall,
  type CommittedRound,
} from '../../../src/shared/domain/prompts/agent-messages.js';
import type { AgentPayload, SemanticPayload } from '../../../src/shared/domain/prompts/payloads.js';
import { agentSpent, type Budgets, type Usage } from '../../../src/shared/domain/run/budgets.js';
import type { Tool } from '../../../src/shared/ports/tool.js';
import { shopLogs, WINDOW } from './shop-logs.js';
import { lookUp } from './shop-runbooks.js';
import { askShop, SHOP_TABLES } from './shop-tables.js';

const RUN = 'run-under-test';
/** As the environment's defaults are. */
const DEFAULT_BUDGETS: Budgets = {
  maxModelCalls: 16,
  maxToolCalls: 24,
  maxTokens: 600_000,
  maxEvidenceBytes: 262_144,
  timeoutMs: 300_000,
  semanticMaxInputBytes: 393_216,
};
const NOTHING_SPENT: Usage = { modelCalls: 0, toolCalls: 0, tokens: 0, evidenceBytes: 0, elapsedMs: 0 };

export interface PlayedCall {
  tool: ToolName;
  arguments: Record<string, unknown>;
  projection: Projection;
}

export interface PlayedRun {
  draft: Draft;
  rounds: number;
  calls: PlayedCall[];
  guard: GuardVerdict;
  /** Null without a conclusion, or when EvidenceGuard refused. */
  semantic: SemanticPayload | null;
}

export interface Shop {
  play(
    query: string,
    overrides?: Partial<AgentPayload> & { tools?: readonly ToolName[] },
  ): Promise<PlayedRun>;
  close(): Promise<void>;
}

export async function openShop(logs: ReadonlyMap<string, string> = shopLogs()): Promise<Shop> {
  const dir = await mkdtemp(join(tmpdir(), 'analyst-shop-'));
  await Promise.all([...logs].map(([name, content]) => writeFile(join(dir, name), content)));
  const search = createLogSearchTool({
    dir,
    timeZone: 'UTC',
    redact: (text) => text,
    clock: { now: () => new Date(WINDOW.to) },
  });
  const services = [...(await search.catalogue(AbortSignal.timeout(5000))).services];
  return {
    play: (query, { tools = TOOL_NAMES, ...overrides } = {}) =>
      playRun(search, tools, {
        query,
        window: WINDOW,
        conversation: [],
        previous_turn: null,
        material: { services, databases: [{ name: 'shop', tables: SHOP_TABLES }] },
        ...overrides,
      }),
    close: async () => {
      await search.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

async function playRun(
  search: Tool<'log_search'>,
  tools: readonly ToolName[],
  payload: AgentPayload,
): Promise<PlayedRun> {
  const rounds: CommittedRound[] = [];
  const calls: PlayedCall[] = [];
  const usedIds = new Set<string>();
  const records = new Map<string, Record<string, string>>();
  for (;;) {
    const spent = agentSpent(DEFAULT_BUDGETS, {
      ...NOTHING_SPENT,
      modelCalls: rounds.length + 1,
      toolCalls: calls.length,
    });
    if (spent !== null) throw new Error(`the harness would stop the Run before its Draft: ${spent}`);
    const said = answer('diagnosis', agentMessages('DIAGNOSIS', payload, rounds), tools);
    if (said.finishReason === 'stop') return finish(payload, said.content, rounds.length, calls, records);
    const left = DEFAULT_BUDGETS.maxToolCalls - calls.length;
    const judged = judgeToolCalls(said.toolCalls, { usedIds, offered: new Set(tools), callsLeft: left });
    const committed: CommittedCall[] = [];
    for (const call of judged) {
      if (call.kind !== 'accepted')
        throw new Error(`a call of the analyst was not accepted: ${call.code} ${call.message}`);
      usedIds.add(call.id);
      const args = JSON.parse(call.arguments) as Record<string, unknown>;
      const projection = await run(search, call.tool, call.id, args);
      calls.push({ tool: call.tool, arguments: args, projection });
      records.set(call.id, recordOf(call.id, projection));
      committed.push({
        toolCallId: call.id,
        tool: call.tool,
        arguments: call.arguments,
        answer: { kind: 'projection', json: canonicalJson(projection) },
      });
    }
    rounds.push({ content: '', calls: committed, notices: [] });
  }
}

async function run(
  search: Tool<'log_search'>,
  tool: ToolName,
  id: string,
  args: unknown,
): Promise<Projection> {
  switch (tool) {
    case 'mysql_query': {
      const { sql, limit } = TOOL_CONTRACTS.mysql_query.args.parse(args);
      return askShop(id, sql, limit ?? 50);
    }
    case 'rag_lookup': {
      const { query, top_k: topK } = TOOL_CONTRACTS.rag_lookup.args.parse(args);
      return lookUp(id, query, topK ?? 5);
    }
    case 'log_search': {
      const context = { toolCallId: id, signal: AbortSignal.timeout(10_000), maxResultBytes: 16_384 };
      const result = await search.run(TOOL_CONTRACTS.log_search.args.parse(args), context);
      if (!result.ok) throw new Error(`a search of the analyst failed: ${result.message}`);
      return result.projection;
    }
  }
}

function recordOf(id: string, projection: Projection): Record<string, string> {
  return {
    run_id: RUN,
    tool_call_id: id,
    tool: projection.tool,
    status: 'READY',
    evidence_status: projection.evidence_status,
    scope: canonicalJson(projection.scope),
    agent_result: canonicalJson(projection),
    started_at: '2024-05-06T11:00:04.000Z',
    finished_at: '2024-05-06T11:00:06.000Z',
  };
}

function finish(
  { query }: AgentPayload,
  content: string,
  rounds: number,
  calls: PlayedCall[],
  records: ReadonlyMap<string, Record<string, string>>,
): PlayedRun {
  const draft = Draft.parse(JSON.parse(content));
  const guard = checkDraft(RUN, draft, records);
  const semantic: SemanticPayload | null =
    guard.ok && isConcluded(draft) ? { query, draft: visibleDraft(draft), evidence: guard.snapshot } : null;
  return { draft, rounds, calls, guard, semantic };
}
