/**
 * `log_search` over a directory of files: JSON lines, logfmt, syslog, access and error logs, timestamped text, each also
 * as `.gz`. Reads every file whose modification time does not rule it out, in a stream; keeps nothing between calls but
 * the list of services, for half a minute.
 */
import type { ToolArgs } from '../../domain/contracts/tools/catalogue.js';
import type { LogSearchProjection } from '../../domain/contracts/tools/log-search.js';
import type { Clock } from '../../ports/clock.js';
import type { Redact } from '../../ports/redactor.js';
import type { Tool, ToolCatalogue, ToolContext, ToolResult } from '../../ports/tool.js';
import { DEFAULT_BOUNDS, type LogSearchBounds } from './bounds.js';
import { faultCode } from './fault-code.js';
import { listLogFiles, type FileList } from './file-list.js';
import { FileScan, type ScanOutcome } from './file-scan.js';
import { readRequest, type SearchRequest } from './search-request.js';
import { incompleteness, leftSomethingOut, searchNotes } from './search-notes.js';
import { EntryView, fitGroups, fitProjection } from './search-projection.js';
import { ServiceCatalogue } from './service-catalogue.js';
import { WallClock } from './time-zone.js';

const CATALOGUE_TTL_MS = 30_000;

const DESCRIPTION =
  'Searches the log files in a time window. query: words that must all occur (case-insensitive substrings of the whole ' +
  'line), "a phrase", -excluded, /regex/ (RE2, case-sensitive; /regex/i is not). level means that level and above. ' +
  'service is a service or log name. matched counts every match; entries are at most limit of them. group_by (level, ' +
  'service, template, ip, status, path, field:<name>) counts all matches by that value, top 20: use it for "how many" ' +
  'and "which most". No match says only that this search, in this window, found nothing.';

export interface LogSearchOptions {
  /** The log directory; it need not exist yet. */
  dir: string;
  /** IANA zone, or UTC, of times that name none. */
  timeZone: string;
  redact: Redact;
  clock: Clock;
  bounds?: Partial<LogSearchBounds>;
}

/** How a search that its signal stopped is told: its own time is over, or somebody cancelled it. */
function stopped(signal: AbortSignal, request: SearchRequest): ToolResult {
  const reason: unknown = signal.reason;
  const timedOut = reason instanceof Error && reason.name === 'TimeoutError';
  return timedOut
    ? {
        ok: false,
        code: 'TIMEOUT',
        message:
          'the search was stopped when its time was over; narrow the window, or leave out a costly /regex/',
        scope: request.scope,
      }
    : { ok: false, code: 'CANCELLED', message: 'the search was cancelled', scope: request.scope };
}

class LogSearchTool implements Tool<'log_search'> {
  readonly name = 'log_search';
  readonly description = DESCRIPTION;
  readonly #bounds: LogSearchBounds;
  readonly #wall: WallClock;
  readonly #catalogue: ServiceCatalogue;
  #services: { names: string[]; until: number } | undefined;

  constructor(private readonly options: LogSearchOptions) {
    this.#bounds = { ...DEFAULT_BOUNDS, ...options.bounds };
    this.#wall = new WallClock(options.timeZone);
    this.#catalogue = new ServiceCatalogue(this.#bounds, this.#wall, options.redact);
  }

  async run(args: ToolArgs<'log_search'>, context: ToolContext): Promise<ToolResult> {
    const read = readRequest(args);
    if (!read.ok) return { ok: false, code: 'INVALID_ARGUMENTS', message: read.message };
    const { request } = read;
    try {
      return await this.#search(request, context);
    } catch {
      if (context.signal.aborted) return stopped(context.signal, request);
      return {
        ok: false,
        code: 'FAILED',
        message: 'the search failed and says nothing about the logs',
        scope: request.scope,
      };
    }
  }

  async #search(request: SearchRequest, context: ToolContext): Promise<ToolResult> {
    const { signal } = context;
    signal.throwIfAborted();
    let list: FileList;
    try {
      list = await listLogFiles(this.options.dir, this.#bounds, signal);
    } catch (error) {
      signal.throwIfAborted();
      const message = `the log directory cannot be read (${faultCode(error)}); no log was searched`;
      return { ok: false, code: 'UNAVAILABLE', message, scope: request.scope };
    }
    const outcome = await new FileScan(request, this.#bounds, this.#wall, signal).run(list);
    signal.throwIfAborted();
    return this.#result(request, context, list, outcome);
  }

  #result(request: SearchRequest, context: ToolContext, list: FileList, outcome: ScanOutcome): ToolResult {
    const { state } = outcome;
    const counted = state.groups?.top(this.options.redact);
    const groups = counted && fitGroups(counted.groups, context.maxResultBytes);
    const figures = { distinct: counted?.distinct ?? 0, shown: groups?.length ?? 0 };
    const assumptions = searchNotes(outcome, list, request, this.options.timeZone, figures);
    const scope = { ...request.scope, assumptions };
    if (state.matched === 0) {
      const gap = incompleteness(outcome);
      if (gap) return { ok: false, ...gap, scope };
    }
    const fewerGroups = figures.shown < figures.distinct || (state.groups?.uncounted ?? 0) > 0;
    const head: LogSearchProjection = {
      tool: 'log_search',
      tool_call_id: context.toolCallId,
      evidence_status: state.matched > 0 ? 'EVIDENCE_FOUND' : 'NO_EVIDENCE',
      scope,
      matched: state.matched,
      truncated: state.matched > 0 && (fewerGroups || leftSomethingOut(outcome)),
      entries: [],
      ...(groups ? { groups } : {}),
    };
    const view = new EntryView(this.options.redact, this.#bounds.maxMessageChars);
    const projection = fitProjection(head, state.selection.chosen(), view, context.maxResultBytes);
    if (projection) return { ok: true, projection };
    const message = `the result does not fit into ${String(context.maxResultBytes)} bytes; leave out group_by or shorten the query`;
    return { ok: false, code: 'TOO_LARGE', message, scope };
  }

  async catalogue(signal: AbortSignal): Promise<ToolCatalogue> {
    const now = this.options.clock.now().getTime();
    if (this.#services === undefined || this.#services.until <= now) {
      try {
        const names = await this.#catalogue.list(this.options.dir, signal);
        this.#services = { names, until: now + CATALOGUE_TTL_MS };
      } catch {
        return { services: [], databases: [] };
      }
    }
    return { services: this.#services.names, databases: [] };
  }

  /** Nothing stays open between calls. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** @throws RangeError when the time zone is unknown. Opens nothing. */
export function createLogSearchTool(options: LogSearchOptions): Tool<'log_search'> {
  return new LogSearchTool(options);
}
