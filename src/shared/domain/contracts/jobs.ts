/**
 * Every job of the fleet, once, as data: queue, payload, processes. Payloads hold the Run's ID and the harness's own
 * numbers, nothing else: they are shown in the dashboard (SE-1).
 */
import { z } from 'zod';
import { RunId } from './ids.js';
import { TOOL_NAMES, type ToolName } from './tools/common.js';

export const QUEUE_PREFIX = '{sworn}';
export const RUNS_QUEUE = 'runs';
export const GUARDS_QUEUE = 'guards';
export const toolQueue = (tool: ToolName): string => `tools.${tool}`;
export const TOOL_QUEUES: readonly string[] = TOOL_NAMES.map(toolQueue);
export const ALL_QUEUES: readonly string[] = [RUNS_QUEUE, GUARDS_QUEUE, ...TOOL_QUEUES];

/** `attempt`: how many times the Run's flow was made anew (1 unless its state was lost). */
export const RunJob = z.strictObject({ runId: RunId, attempt: z.number().int().positive() });
export type RunJob = z.infer<typeof RunJob>;

/** `call`: the harness's number of the call in the Run. */
export const ToolJob = z.strictObject({ runId: RunId, call: z.number().int().positive() });
export type ToolJob = z.infer<typeof ToolJob>;
