/**
 * A route as data: method, path, role, the schemas of what comes in and goes out, and its handler. The same table serves
 * requests and makes the OpenAPI document.
 */
import { z } from 'zod';
import type { Role } from '../../shared/ports/access.js';
import type { ApiContext } from '../api-context.js';
import { faultsOf, invalidRequest, notFound } from '../http/api-problem.js';
import { readJsonBody } from '../http/read-json-body.js';
import type { Authenticated } from '../middleware/authenticate.js';

/** What a status answers with: a schema for JSON, `text` or `stream` for the rest, `none` for no content. */
export type AnswerSchema = z.ZodType | 'text' | 'stream' | 'none';

export interface AnswerDeclaration {
  description: string;
  /** More than one where the request chooses by `Accept`. */
  content: readonly AnswerSchema[];
}

/** `streaming`: the handler has taken the raw response over. */
export type Answer =
  { status: number; body?: unknown; headers?: Readonly<Record<string, string>> } | 'streaming';

export interface HeaderDeclaration {
  name: string;
  description: string;
}

interface RouteHead {
  method: 'get' | 'post';
  /** Parameters as `:name`. */
  path: string;
  operationId: string;
  summary: string;
  headers?: readonly HeaderDeclaration[];
  answers: Readonly<Record<number, AnswerDeclaration>>;
}

export interface RouteInput<P, Q, B> {
  ctx: ApiContext;
  params: P;
  query: Q;
  body: B;
}

export interface RouteSpec<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> extends RouteHead {
  /** The least role; `null` leaves the route open. */
  role: Role | null;
  /** Path parameters that do not fit name nothing: 404. */
  params?: P;
  /** Without it, no query parameter is taken. */
  query?: Q;
  body?: B;
  handle: (input: RouteInput<z.infer<P>, z.infer<Q>, z.infer<B>>, who: Authenticated) => Promise<Answer>;
}

/** A route whose types are settled. */
export interface Route extends RouteHead {
  role: Role | null;
  params: z.ZodType | null;
  query: z.ZodType;
  body: z.ZodType | null;
  serve: (ctx: ApiContext, who: Authenticated) => Promise<Answer>;
}

const Nothing = z.strictObject({});
type Nothing = typeof Nothing;

export function defineRoute<
  P extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = Nothing,
  B extends z.ZodType = z.ZodUndefined,
>(spec: RouteSpec<P, Q, B>): Route {
  const { handle, params, query, body, ...head } = spec;
  return {
    ...head,
    params: params ?? null,
    query: query ?? Nothing,
    body: body ?? null,
    serve: async (ctx, who) =>
      handle(
        {
          ctx,
          params: readParams(params, ctx.params) as z.infer<P>,
          query: readChecked(query ?? Nothing, { ...ctx.query }) as z.infer<Q>,
          body: (body === undefined
            ? undefined
            : readChecked(body, await readJsonBody(ctx.req))) as z.infer<B>,
        },
        who,
      ),
  };
}

function readParams(schema: z.ZodType | undefined, values: Record<string, string>): unknown {
  const parsed = (schema ?? z.unknown()).safeParse(values);
  if (!parsed.success) throw notFound('Nothing has this ID.');
  return parsed.data;
}

function readChecked(schema: z.ZodType, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw invalidRequest(faultsOf(parsed.error));
  return parsed.data;
}
