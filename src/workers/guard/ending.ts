/** From the facts of a review to what the Run ends with: the policy decides, this assembles the texts. */
import type { KnowledgeAnswer } from '../../shared/domain/contracts/report.js';
import type { RunErrorCode } from '../../shared/domain/contracts/run.js';
import type { ReadyRecord } from '../../shared/domain/guards/canonical-record.js';
import type { ConcludedDraft } from '../../shared/domain/guards/semantic.js';
import { decideRelease, type ReleaseDecision, type ReviewFacts } from '../../shared/domain/release/policy.js';
import { progressSnapshot, verifiedSources } from '../../shared/domain/release/progress.js';
import { buildReport, publishedResult } from '../../shared/domain/release/report.js';
import { safeFallback } from '../../shared/domain/release/safe-fallback.js';
import type { EngineRun } from '../../shared/ports/run-store.js';
import { listedNames } from '../listed-names.js';
import type { Ending } from './finalize.js';

export interface VerifiedDraft {
  draft: ConcludedDraft;
  records: ReadonlyMap<string, ReadyRecord>;
}

export type Reviewed =
  | { failed: RunErrorCode }
  | {
      facts: ReviewFacts;
      /** Of a Draft that EvidenceGuard passed. */
      verified?: VerifiedDraft;
      knowledge?: KnowledgeAnswer;
      missingContext?: readonly string[];
    };

export function endingOf(run: EngineRun, reviewed: Reviewed, progress: readonly ReadyRecord[]): Ending {
  if ('failed' in reviewed) return { outcome: 'FAILED', code: reviewed.failed };
  const decision = decideRelease(reviewed.facts);
  switch (decision.outcome) {
    case 'FAILED':
      return { outcome: 'FAILED', code: decision.code };
    case 'SUCCESS':
      return success(run, decision, reviewed);
    case 'FALLBACK':
      return fallback(run, decision, reviewed, progress);
  }
}

type Facts = Extract<Reviewed, { facts: ReviewFacts }>;

function success(
  run: EngineRun,
  decision: Extract<ReleaseDecision, { outcome: 'SUCCESS' }>,
  reviewed: Facts,
): Ending {
  if (decision.publish === 'knowledge' && reviewed.knowledge !== undefined) {
    const { knowledge } = reviewed;
    return { outcome: 'SUCCESS', result: { knowledge }, published: null, turn: knowledge.answer };
  }
  if (decision.publish === 'report' && reviewed.verified !== undefined) {
    const { draft, records } = reviewed.verified;
    return {
      outcome: 'SUCCESS',
      result: { report: buildReport(draft, records) },
      published: publishedResult(run.query, draft, records),
      turn: draft.conclusion.text,
    };
  }
  return { outcome: 'FAILED', code: 'INTERNAL' };
}

function fallback(
  run: EngineRun,
  decision: Extract<ReleaseDecision, { outcome: 'FALLBACK' }>,
  reviewed: Facts,
  progress: readonly ReadyRecord[],
): Ending {
  const listed = listedNames(run.context);
  const snapshot = progressSnapshot(progress, listed);
  const sources = {
    none: [],
    progress: snapshot.sources,
    snapshot: [...(reviewed.verified?.records.values() ?? [])].flatMap((record) =>
      verifiedSources(record, listed),
    ),
  }[decision.sources];
  return {
    outcome: 'FALLBACK',
    result: {
      fallback: safeFallback(decision.type, {
        sources,
        facts: decision.facts ? snapshot.facts : [],
        missingContext: decision.missingContext ? (reviewed.missingContext ?? []) : [],
      }),
    },
    turn: `(nothing was published: ${decision.type})`,
  };
}
