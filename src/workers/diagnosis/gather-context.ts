/** What a Run is told beside its question: gathered once and kept, so that every activation builds the same prompts. */
import type { Material } from '../../shared/domain/prompts/payloads.js';
import type { EngineRun, RunContext } from '../../shared/ports/run-store.js';
import type { Tool, ToolCatalogue } from '../../shared/ports/tool.js';
import { StoreUnavailable } from '../../shared/ports/errors.js';
import type { EngineDeps } from './engine.js';

const CATALOGUE_TIMEOUT_MS = 2000;
const CATALOGUE_AGE_MS = 30_000;
const MAX_SERVICES = 200;
const MAX_DATABASES = 20;
const MAX_TABLES = 200;

/** @returns null when the Run is no longer the caller's. */
export async function gatherContext(
  deps: EngineDeps,
  material: MaterialSource,
  run: EngineRun,
): Promise<RunContext | null> {
  if (run.context !== null) return run.context;
  const [turns, lastIntent, previousTurn, names] = await Promise.all([
    readTurns(deps, run.sessionId),
    deps.history.lastIntent(run.sessionId),
    deps.history.previousTurn(run.sessionId),
    material(),
  ]);
  const context: RunContext = {
    conversation: turns.map(({ query, answer }) => ({ query, answer })),
    lastIntent,
    previousTurn,
    material: names,
  };
  const written = await deps.store.saveContext({ runId: run.runId, epoch: run.epoch }, context);
  return written === 'written' ? context : null;
}

/** The window is context and expires anyway: a Redis that lost it costs memory of earlier turns, not the Run. */
async function readTurns(deps: EngineDeps, sessionId: string): Promise<{ query: string; answer: string }[]> {
  try {
    return await deps.conversation.read(sessionId);
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    deps.log.warn({ err: error }, 'the conversation window is unreadable and is left out');
    return [];
  }
}

export type MaterialSource = () => Promise<Material>;

/** The tools' lists, asked at most every 30 s; a backend that is away or slow yields nothing and is asked again. */
export function createMaterialSource(tools: readonly Tool[], now: () => number): MaterialSource {
  let cached: { at: number; material: Promise<Material> } | undefined;
  return () => {
    if (cached === undefined || now() - cached.at > CATALOGUE_AGE_MS)
      cached = { at: now(), material: ask(tools) };
    return cached.material;
  };
}

async function ask(tools: readonly Tool[]): Promise<Material> {
  const lists = await Promise.all(
    tools.map(async (tool): Promise<ToolCatalogue> => {
      try {
        return await tool.catalogue(AbortSignal.timeout(CATALOGUE_TIMEOUT_MS));
      } catch {
        return { services: [], databases: [] };
      }
    }),
  );
  const services = [...new Set(lists.flatMap((list) => list.services))].sort().slice(0, MAX_SERVICES);
  const databases = lists
    .flatMap((list) => list.databases)
    .slice(0, MAX_DATABASES)
    .map(({ name, tables }) => ({ name, tables: tables.slice(0, MAX_TABLES) }));
  return { services, databases };
}
