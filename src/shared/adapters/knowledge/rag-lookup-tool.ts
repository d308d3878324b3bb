/** `rag_lookup`: documents of the knowledge base that answer a question, each by an exact excerpt (EG-10, KQ-2). */
import type { ToolArgs } from '../../domain/contracts/tools/catalogue.js';
import {
  RAG_TOP_K,
  type RagDocument,
  type RagLookupProjection,
  type RagLookupScope,
} from '../../domain/contracts/tools/rag-lookup.js';
import type { Clock } from '../../ports/clock.js';
import { StoreUnavailable } from '../../ports/errors.js';
import type { Redact } from '../../ports/redactor.js';
import type { Tool, ToolCatalogue, ToolContext, ToolResult } from '../../ports/tool.js';
import { bestExcerpt, cutBytes } from './excerpt.js';
import type { KnowledgeAnswer, KnowledgeIndex } from './knowledge-index.js';
import type { LexicalHit } from './lexical-index.js';

const DESCRIPTION =
  'Looks up runbooks and other documents of the knowledge base by words: name the alert, the component, the symptom, in ' +
  'plain English or as the document would. Gives up to top_k documents, best first, each with an exact excerpt. No ' +
  'document says only that none is close enough to these words.';
const MAX_EXCERPT_BYTES = 1536;
const MIN_EXCERPT_BYTES = 256;

export interface RagLookupOptions {
  index: KnowledgeIndex;
  redact: Redact;
  clock: Clock;
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value), 'utf8');
}

/** Settles with the work, or with the signal's reason, whichever comes first. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (onAbort) signal.removeEventListener('abort', onAbort);
  }
}

function fault(error: unknown, signal: AbortSignal, scope: RagLookupScope): ToolResult {
  if (signal.aborted) {
    const reason: unknown = signal.reason;
    return reason instanceof Error && reason.name === 'TimeoutError'
      ? { ok: false, code: 'TIMEOUT', message: 'the lookup was stopped when its time was over', scope }
      : { ok: false, code: 'CANCELLED', message: 'the lookup was cancelled', scope };
  }
  return error instanceof StoreUnavailable
    ? {
        ok: false,
        code: 'UNAVAILABLE',
        message: 'the knowledge base cannot be reached; nothing was looked up',
        scope,
      }
    : {
        ok: false,
        code: 'FAILED',
        message: 'the lookup failed and says nothing about the knowledge base',
        scope,
      };
}

class RagLookupTool implements Tool<'rag_lookup'> {
  readonly name = 'rag_lookup';
  readonly description = DESCRIPTION;

  constructor(private readonly options: RagLookupOptions) {}

  async run(args: ToolArgs<'rag_lookup'>, context: ToolContext): Promise<ToolResult> {
    const asked = args.top_k ?? RAG_TOP_K.default;
    const topK = Math.min(RAG_TOP_K.max, Math.max(RAG_TOP_K.min, asked));
    const scope: RagLookupScope = {
      query: this.options.redact(args.query),
      top_k: topK,
      assumptions: topK === asked ? [] : [`top_k ${String(asked)} was clamped to ${String(topK)}`],
    };
    try {
      const work = this.options.index.search(args.query);
      // The work may end after the race is over; its fault then concerns nobody.
      work.catch(() => undefined);
      return this.#result(await untilAborted(work, context.signal), args.query, scope, context);
    } catch (error) {
      return fault(error, context.signal, scope);
    }
  }

  #result(answer: KnowledgeAnswer, query: string, scope: RagLookupScope, context: ToolContext): ToolResult {
    if (!answer.complete) {
      const sentence = `only the first ${String(answer.documents)} documents of the knowledge base are searched`;
      if (answer.hits.length === 0)
        return { ok: false, code: 'FAILED', message: `${sentence}, and none of them is close enough`, scope };
      scope.assumptions.push(sentence);
    }
    const hits = answer.hits.slice(0, scope.top_k);
    const head: RagLookupProjection = {
      tool: 'rag_lookup',
      tool_call_id: context.toolCallId,
      evidence_status: hits.length > 0 ? 'EVIDENCE_FOUND' : 'NO_EVIDENCE',
      scope,
      documents: [],
      truncated: false,
    };
    const documents = this.#fit(hits, query, context.maxResultBytes - jsonBytes(head));
    if (hits.length > 0 && documents.length === 0) {
      const message = `no document fits into ${String(context.maxResultBytes)} bytes`;
      return { ok: false, code: 'TOO_LARGE', message, scope };
    }
    return { ok: true, projection: { ...head, documents, truncated: documents.length < hits.length } };
  }

  /** Best first while they fit; the one that does not fit whole is shortened if enough of it stays. */
  #fit(hits: readonly LexicalHit[], query: string, room: number): RagDocument[] {
    const documents: RagDocument[] = [];
    let left = room;
    for (const hit of hits) {
      for (let max = MAX_EXCERPT_BYTES; max >= MIN_EXCERPT_BYTES; max = Math.floor(max * 0.75)) {
        const document = this.#document(hit, query, max);
        if (document.excerpt === '') break;
        const size = jsonBytes(document) + 1;
        if (size > left) continue;
        documents.push(document);
        left -= size;
        break;
      }
    }
    return documents;
  }

  #document({ document, chunkScores }: LexicalHit, query: string, maxBytes: number): RagDocument {
    const { redact } = this.options;
    const excerpt = redact(bestExcerpt(document.chunks, chunkScores, query, maxBytes));
    return {
      document_id: document.documentId,
      title: redact(document.title),
      source: redact(document.source),
      excerpt: cutBytes(excerpt, maxBytes),
      updated_at: document.updatedAt.toISOString(),
    };
  }

  catalogue(): Promise<ToolCatalogue> {
    return Promise.resolve({ services: [], databases: [] });
  }

  /** The store belongs to whoever opened it. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Opens nothing. */
export function createRagLookupTool(options: RagLookupOptions): Tool<'rag_lookup'> {
  return new RagLookupTool(options);
}
