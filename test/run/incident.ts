/** A small incident on disk, and the model's words about it, for Runs through the whole fleet. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Draft } from '../../src/shared/domain/contracts/draft.js';
import { tempFolder } from '../support/temp-folder.js';
import { calls, json, type Answer, type ScriptedCall } from '../support/scripted-model.js';

export const WINDOW = { from: '2026-11-30T10:00:00.000Z', to: '2026-11-30T11:00:00.000Z' };

/** 7 timeouts of checkout, 3 slow queries of orders. @returns the folder. */
export async function writeLogs(): Promise<string> {
  const dir = await tempFolder();
  const line = (minute: number, level: string, text: string): string =>
    `2026-11-30T10:${String(minute).padStart(2, '0')}:00.000Z ${level} ${text}`;
  const checkout = Array.from({ length: 7 }, (_, n) =>
    line(10 + n, 'ERROR', `timeout calling orders after ${3000 + n} ms`),
  );
  const orders = Array.from({ length: 3 }, (_, n) =>
    line(9 + n, 'WARN', `slow query ${4000 + n} ms on table orders`),
  );
  await writeFile(join(dir, 'checkout.log'), `${[line(1, 'INFO', 'started'), ...checkout].join('\n')}\n`);
  await writeFile(join(dir, 'orders.log'), `${orders.join('\n')}\n`);
  return dir;
}

export const routed = (intent: string): Answer => json({ intent, reason: 'because' });
export const supported = (): Answer => json({ verdict: 'SUPPORTED', reason: 'SECRET-REASON it holds' });
export const unsupported = (): Answer => json({ verdict: 'UNSUPPORTED', reason: 'SECRET-REASON too wide' });

export function search(id: string, query: string, more: Record<string, unknown> = {}): ScriptedCall {
  return { id, name: 'log_search', arguments: { ...WINDOW, query, ...more } };
}

/** One round of two searches: `found` matches 7, `empty` matches none. */
export const firstRound = (): Answer => calls(search('found', 'timeout'), search('empty', 'deadlock'));

export function draft(change: Partial<Draft> = {}): Draft {
  return {
    conclusion: { text: 'DRAFT-WORDS checkout times out calling orders', analysis_ids: ['A1'] },
    analyses: [
      { analysis_id: 'A1', kind: 'NORMAL', text: 'Seven timeouts were logged.', tool_call_ids: ['found'] },
      {
        analysis_id: 'A2',
        kind: 'NEGATIVE_OBSERVATION',
        text: 'No entry names a deadlock.',
        tool_call_ids: ['empty'],
      },
    ],
    action_plan: [{ text: 'Look at orders.', analysis_ids: ['A1'], requires_human_confirmation: true }],
    recommendations: [],
    limitations: ['Logs alone were read.'],
    missing_context: [],
    ...change,
  };
}

export const noConclusion = (change: Partial<Draft> = {}): Draft =>
  draft({ conclusion: null, action_plan: [], ...change });
