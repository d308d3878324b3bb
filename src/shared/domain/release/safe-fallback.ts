/** SafeFallback (RP-2, RP-3): fixed, reviewed text per type; lists bounded and cleaned. */
import { isBlank } from '../guards/blank.js';
import type { Fallback, FallbackType, VerifiedSource } from '../contracts/report.js';

const MESSAGES: Readonly<Record<FallbackType, string>> = {
  EVIDENCE_VALIDATION_FAILED:
    'An answer was sought, but its references to evidence did not hold, so it is not published. Nothing here may be taken as a finding. Ask again, or narrow the question to one service and one time window.',
  SEMANTIC_UNSUPPORTED:
    'A diagnosis was written, but the evidence did not carry all of its claims, so it is not published. The sources below were really read; look at them yourself, or ask a narrower question.',
  SEMANTIC_UNAVAILABLE:
    'A diagnosis was written, but it could not be reviewed, so it is not published. The sources below were really read. Ask again in a moment; if it happens again, ask a narrower question.',
  MISSING_REQUIRED_CONTEXT:
    'The question leaves out something that is needed before anything can be checked. Add what is listed below and ask again.',
  INSUFFICIENT_EVIDENCE:
    'The checks that were made do not carry a conclusion, so none is published. That is no sign that all is well. Completed checks, if there were any, are listed below; widen the time window, or name the service or the symptom, and ask again.',
  OUT_OF_SCOPE:
    'This is not a question about the state or the operation of your systems, so nothing was looked up. sworn diagnoses incidents from logs, databases and runbooks: ask what went wrong, where, and when.',
};

const MAX_MISSING = 10;
const MAX_MISSING_CHARACTERS = 200;
const MAX_SOURCES = 50;
const MAX_FACTS = 50;

export interface FallbackParts {
  sources?: readonly VerifiedSource[];
  facts?: readonly string[];
  missingContext?: readonly string[];
}

export function safeFallback(type: FallbackType, parts: FallbackParts = {}): Fallback {
  return {
    type,
    message: MESSAGES[type],
    verified_sources: (parts.sources ?? []).slice(0, MAX_SOURCES),
    observed_facts: (parts.facts ?? []).slice(0, MAX_FACTS),
    missing_context: cleanMissingContext(parts.missingContext ?? []),
  };
}

/** The Draft's list as it may be shown: ≤ 10 items of ≤ 200 characters, without control characters; blank ones fall out. */
export function cleanMissingContext(items: readonly string[]): string[] {
  return items
    .map((item) =>
      cut(
        item
          .replace(/[\s\u2028\u2029]+/gu, ' ')
          .replace(/[\p{Cc}\p{Cf}\p{Cs}]+/gu, '')
          .trim(),
      ),
    )
    .filter((item) => !isBlank(item))
    .slice(0, MAX_MISSING);
}

/** Counted in code points, so that no character is cut in two. */
function cut(text: string): string {
  return Array.from(text).slice(0, MAX_MISSING_CHARACTERS).join('').trim();
}
