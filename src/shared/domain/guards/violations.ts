/** What EvidenceGuard finds. Only the repair prompt and the audit see it; messages are the harness's words. */
export type ViolationCode =
  | 'NO_CONCLUSION'
  | 'NO_ANALYSES'
  | 'TOO_MANY'
  | 'ANALYSIS_ID_BLANK'
  | 'ANALYSIS_ID_DUPLICATE'
  | 'ANALYSIS_KIND_UNKNOWN'
  | 'TEXT_BLANK'
  | 'TOOL_CALL_IDS_EMPTY'
  | 'ANALYSIS_IDS_EMPTY'
  | 'ANALYSIS_ID_UNKNOWN'
  | 'REFERENCE_UNRESOLVED'
  | 'REFERENCE_NOT_READY'
  | 'REFERENCE_BROKEN'
  | 'KIND_MISMATCH'
  | 'TOOL_CALL_ID_IN_TEXT';

export interface Violation {
  code: ViolationCode;
  /** Of the Draft, e.g. `analyses.0.tool_call_ids.1`. */
  path: string;
  message: string;
}

export function violation(code: ViolationCode, path: string, message: string): Violation {
  return { code, path, message };
}
