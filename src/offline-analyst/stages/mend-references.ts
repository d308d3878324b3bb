/**
 * EvidenceRepair by rules (ER-2): IDs and references alone are touched, and only where what was meant is unambiguous. What
 * stays broken stays as it was, and EvidenceGuard refuses it again. Pure.
 */
import { Draft, type DraftAnalysis } from '../../shared/domain/contracts/draft.js';
import type { ChatMessage } from '../../shared/domain/prompts/messages.js';
import { RepairPayload } from '../../shared/domain/prompts/payloads.js';
import { jsonAnswer, type AnalystAnswer } from '../analyst-answer.js';
import { parseJson } from '../reading/transcript.js';

type Citable = RepairPayload['invocations'][number];

export function mendReferences(messages: readonly ChatMessage[]): AnalystAnswer {
  const user = messages.find((message) => message.role === 'user');
  const payload = RepairPayload.safeParse(parseJson(user?.content ?? ''));
  const draft = payload.success ? Draft.safeParse(payload.data.draft) : null;
  if (!payload.success || draft?.success !== true) return jsonAnswer(payload.data?.draft ?? {});
  return jsonAnswer(mend(draft.data, payload.data));
}

function mend(draft: Draft, { violations, invocations }: RepairPayload): Draft {
  const faulty = new Set(violations.map(({ path }) => path));
  const ids = mendedIds(draft.analyses.map((analysis) => analysis.analysis_id));
  const analyses = draft.analyses.map((analysis, index) => ({
    ...analysis,
    analysis_id: ids[index] ?? analysis.analysis_id,
    tool_call_ids: mendedCalls(analysis, index, faulty, invocations),
  }));
  const refer = <T extends { analysis_ids: string[] }>(item: T): T => ({
    ...item,
    analysis_ids: mendedRefs(item.analysis_ids, ids),
  });
  return {
    ...draft,
    analyses,
    conclusion: draft.conclusion === null ? null : wholeConclusion(refer(draft.conclusion), ids),
    action_plan: draft.action_plan.map(refer),
    recommendations: draft.recommendations.map(refer),
  };
}

/** A blank or repeated ID becomes the first free `A<n>`; the first of its kind keeps it, and so do references to it. */
function mendedIds(ids: readonly string[]): string[] {
  const taken = new Set(ids.filter((id) => id.trim() !== ''));
  const seen = new Set<string>();
  return ids.map((id) => {
    if (id.trim() !== '' && !seen.has(id)) {
      seen.add(id);
      return id;
    }
    const fresh = firstFree(taken);
    taken.add(fresh);
    seen.add(fresh);
    return fresh;
  });
}

function firstFree(taken: ReadonlySet<string>): string {
  let number = 1;
  while (taken.has(`A${number}`)) number += 1;
  return `A${number}`;
}

function mendedCalls(
  analysis: DraftAnalysis,
  index: number,
  faulty: ReadonlySet<string>,
  invocations: readonly Citable[],
): string[] {
  const fitting = invocations
    .filter((call) => call.evidence_status === statusFor(analysis.kind))
    .map((call) => call.tool_call_id);
  const ids = analysis.tool_call_ids;
  const isFaulty = (at: number): boolean => faulty.has(`analyses.${index}.tool_call_ids.${at}`);
  const kept = ids.flatMap((id, at) => (isFaulty(at) ? (nearest(id, fitting) ?? []) : [id]));
  if (kept.length > 0) return [...new Set(kept)];
  // With one call that could be meant, it is meant; with several, a guess would cite what does not carry the text.
  return fitting.length === 1 ? fitting : ids;
}

function statusFor(kind: string): string {
  return kind === 'NEGATIVE_OBSERVATION' ? 'NO_EVIDENCE' : 'EVIDENCE_FOUND';
}

/** References to analyses that do not exist go to the one that is written alike, else they go, if others stay. */
function mendedRefs(refs: readonly string[], ids: readonly string[]): string[] {
  const kept = refs.flatMap((ref) => (ids.includes(ref) ? [ref] : (nearest(ref, ids) ?? [])));
  if (kept.length > 0) return [...new Set(kept)];
  return ids.length === 1 ? [...ids] : [...refs];
}

/** A conclusion without any reference rests on all that was analysed. */
function wholeConclusion<T extends { analysis_ids: string[] }>(conclusion: T, ids: readonly string[]): T {
  return conclusion.analysis_ids.length > 0 ? conclusion : { ...conclusion, analysis_ids: [...ids] };
}

/** The only candidate that is the same but for case and punctuation, else the only one that is one slip away. */
function nearest(id: string, candidates: readonly string[]): string | null {
  const bare = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '');
  if (bare(id) === '') return null;
  const same = candidates.filter((candidate) => bare(candidate) === bare(id));
  if (same.length > 0) return same.length === 1 ? (same[0] ?? null) : null;
  // Another number is another call, not a slip of the pen.
  const digits = (text: string): string => text.replace(/\D/g, '');
  const close = candidates.filter(
    (candidate) =>
      bare(id).length > 3 && digits(candidate) === digits(id) && oneSlip(bare(candidate), bare(id)),
  );
  return close.length === 1 ? (close[0] ?? null) : null;
}

/** One character more, less or other. */
function oneSlip(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end += 1;
  return Math.max(a.length, b.length) - start - end <= 1;
}
