/**
 * A read-only tool.
 *
 * Contract: `run` never throws; it stops its own work (file scans, SQL on the server, HTTP) when `signal` aborts and
 * then answers `CANCELLED` or `TIMEOUT`; the projection is the only form in which its result leaves (IV-3): strict per
 * the tool's schema, secrets redacted, at most `maxResultBytes` of JSON, clipped on record boundaries with `truncated`
 * stated. `NO_EVIDENCE` comes from a complete, successful search alone.
 */
import type { Projection, ToolArgs, ToolScope } from '../domain/contracts/tools/catalogue.js';
import type { ToolName } from '../domain/contracts/tools/common.js';
import type { InvocationErrorCode } from '../domain/contracts/invocation.js';

export interface ToolContext {
  toolCallId: string;
  /** Aborted on cancellation, on the tool's own timeout (`reason` is a `TimeoutError` then) and on loss of the job. */
  signal: AbortSignal;
  maxResultBytes: number;
}

export type ToolResult =
  | { ok: true; projection: Projection }
  | {
      ok: false;
      code: InvocationErrorCode;
      /** Told to the model: what was wrong and the way out. Holds no secret and no raw output. */
      message: string;
      /** What would have run, as far as it is known. */
      scope?: ToolScope;
    };

/** What the agent is told about a tool's material, and the names that may be shown before release. */
export interface ToolCatalogue {
  services: readonly string[];
  databases: readonly { name: string; tables: readonly string[] }[];
}

export interface Tool<N extends ToolName = ToolName> {
  readonly name: N;
  /** For the model, one paragraph. */
  readonly description: string;
  run(args: ToolArgs<N>, context: ToolContext): Promise<ToolResult>;
  /** Bounded in time by `signal`; a backend that is away yields empty lists. */
  catalogue(signal: AbortSignal): Promise<ToolCatalogue>;
  close(): Promise<void>;
}
