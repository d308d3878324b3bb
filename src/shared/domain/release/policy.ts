/**
 * The release policy (RP-1 … RP-9, contract §4 "Outcomes"): one table from the facts of a review to what is published.
 * It decides and does no work; everything that is not plainly a success is a fallback or a failure.
 */
import type { FallbackType } from '../contracts/report.js';
import type { RunErrorCode } from '../contracts/run.js';

export type ReviewFacts =
  | { kind: 'out_of_scope' }
  | { kind: 'knowledge'; binding: 'bound' | 'no_hits' | 'faulty' }
  | { kind: 'concluded'; evidence: 'rejected' }
  | { kind: 'concluded'; evidence: 'passed'; semantic: 'SUPPORTED' | 'UNSUPPORTED' | 'UNAVAILABLE' }
  /** `toolCalls`: the Run numbered, or its Draft cites, at least one call. */
  | { kind: 'no_conclusion'; toolCalls: boolean; missingContext: boolean }
  | { kind: 'invalid_draft' }
  | { kind: 'controlled_stop' }
  /** `progress`: at least one check was completed and verified. */
  | { kind: 'model_failed'; progress: boolean };

export type ReleaseDecision =
  | { outcome: 'SUCCESS'; publish: 'report' | 'knowledge' }
  | {
      outcome: 'FALLBACK';
      type: FallbackType;
      /** Where `verified_sources` come from. */
      sources: 'none' | 'snapshot' | 'progress';
      /** Whether `observed_facts` are filled, from completed checks. */
      facts: boolean;
      missingContext: boolean;
    }
  | { outcome: 'FAILED'; code: RunErrorCode };

const fallback = (
  type: FallbackType,
  sources: 'none' | 'snapshot' | 'progress',
  more: { facts?: boolean; missingContext?: boolean } = {},
): ReleaseDecision => ({
  outcome: 'FALLBACK',
  type,
  sources,
  facts: more.facts ?? false,
  missingContext: more.missingContext ?? false,
});

/** RP-8, RP-9: with no progress at all its lists are simply empty. */
const INSUFFICIENT = fallback('INSUFFICIENT_EVIDENCE', 'progress', { facts: true });

export function decideRelease(facts: ReviewFacts): ReleaseDecision {
  switch (facts.kind) {
    case 'out_of_scope':
      return fallback('OUT_OF_SCOPE', 'none');
    case 'knowledge':
      return decideKnowledge(facts.binding);
    case 'concluded':
      return facts.evidence === 'rejected'
        ? fallback('EVIDENCE_VALIDATION_FAILED', 'none')
        : decideSemantic(facts.semantic);
    case 'no_conclusion':
      return facts.missingContext && !facts.toolCalls
        ? fallback('MISSING_REQUIRED_CONTEXT', 'none', { missingContext: true })
        : INSUFFICIENT;
    case 'invalid_draft':
    case 'controlled_stop':
      return INSUFFICIENT;
    case 'model_failed':
      return facts.progress ? INSUFFICIENT : { outcome: 'FAILED', code: 'MODEL_UNAVAILABLE' };
  }
}

function decideKnowledge(binding: 'bound' | 'no_hits' | 'faulty'): ReleaseDecision {
  switch (binding) {
    case 'bound':
      return { outcome: 'SUCCESS', publish: 'knowledge' };
    case 'no_hits':
      return INSUFFICIENT;
    case 'faulty':
      return fallback('EVIDENCE_VALIDATION_FAILED', 'none');
  }
}

function decideSemantic(semantic: 'SUPPORTED' | 'UNSUPPORTED' | 'UNAVAILABLE'): ReleaseDecision {
  switch (semantic) {
    case 'SUPPORTED':
      return { outcome: 'SUCCESS', publish: 'report' };
    case 'UNSUPPORTED':
      return fallback('SEMANTIC_UNSUPPORTED', 'snapshot');
    case 'UNAVAILABLE':
      return fallback('SEMANTIC_UNAVAILABLE', 'snapshot');
  }
}
