/** The OpenAPI 3.1 document, made from the table of routes and the schemas that validate. Pure. */
import { z } from 'zod';
import { ChatAccepted, ChatRequest } from '../../shared/domain/contracts/chat.js';
import { PROBLEMS, Problem } from '../../shared/domain/contracts/problem.js';
import { RunSummary, RunView } from '../../shared/domain/contracts/run.js';
import { Trace } from '../../shared/domain/contracts/trace.js';
import type { AnswerSchema, Route } from '../routes/route.js';

type Json = Record<string, unknown>;
type JsonSchema = z.core.JSONSchema.BaseSchema;
type Direction = 'input' | 'output';

/** Schemas that stand in `components` under a name; all others stand where they are used. */
const NAMED: readonly (readonly [string, z.ZodType, Direction])[] = [
  ['ChatRequest', ChatRequest, 'input'],
  ['ChatAccepted', ChatAccepted, 'output'],
  ['Run', RunView, 'output'],
  ['RunSummary', RunSummary, 'output'],
  ['Trace', Trace, 'output'],
  ['Problem', Problem, 'output'],
];

const refTo = (name: string): string => `#/components/schemas/${name}`;

export function openApiDocument(routes: readonly Route[]): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operationOf(route) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'sworn',
      version: '1',
      description: 'Incident diagnosis that says only what its evidence supports.',
    },
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        browser: { type: 'http', scheme: 'basic' },
      },
      schemas: namedSchemas(),
    },
  };
}

function namedSchemas(): Json {
  const schemas: Json = {};
  for (const direction of ['input', 'output'] as const) {
    const registry = z.registry<{ id: string }>();
    for (const [name, schema, way] of NAMED) if (way === direction) registry.add(schema, { id: name });
    const made = z.toJSONSchema(registry, { io: direction, uri: refTo, unrepresentable: 'any' });
    for (const [name, schema] of Object.entries(made.schemas)) schemas[name] = bare(schema);
  }
  return schemas;
}

function operationOf(route: Route): Json {
  return {
    operationId: route.operationId,
    summary: route.summary,
    security: route.role === null ? [] : [{ token: [] }, { browser: [] }],
    ...(route.role === null ? {} : { description: `Least role: \`${route.role}\`.` }),
    parameters: parametersOf(route),
    ...(route.body === null
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemaOf(route.body, 'input') } },
          },
        }),
    responses: responsesOf(route),
  };
}

function parametersOf(route: Route): Json[] {
  return [
    ...fieldsOf(route.params, 'path'),
    ...fieldsOf(route.query, 'query'),
    ...(route.headers ?? []).map(({ name, description }) => ({
      name,
      in: 'header',
      description,
      schema: { type: 'string' },
    })),
  ];
}

function fieldsOf(schema: z.ZodType | null, place: 'path' | 'query'): Json[] {
  if (schema === null) return [];
  const { properties = {}, required = [] } = schemaOf(schema, 'input');
  return Object.entries(properties).map(([name, field]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: field,
  }));
}

function responsesOf(route: Route): Json {
  const responses: Json = {};
  for (const [status, { description, content }] of Object.entries(route.answers)) {
    const entries = content.filter((schema) => schema !== 'none').map(contentOf);
    responses[status] = {
      description,
      ...(entries.length === 0 ? {} : { content: Object.fromEntries(entries) }),
    };
  }
  return { ...responses, ...problemsOf(route) };
}

function contentOf(schema: Exclude<AnswerSchema, 'none'>): [string, Json] {
  if (schema === 'text') return ['text/plain', { schema: { type: 'string' } }];
  if (schema === 'stream') return ['text/event-stream', { schema: { type: 'string' } }];
  return ['application/json', { schema: schemaOf(schema, 'output') }];
}

/** Any other status is a problem; which codes there are stands with it. */
function problemsOf(route: Route): Json {
  if (route.role === null && route.operationId !== 'readiness') return {};
  const codes = Object.entries(PROBLEMS).map(([code, [status]]) => `${code} (${status})`);
  return {
    default: {
      description: `A problem (RFC 9457); \`code\` is one of ${codes.join(', ')}`,
      content: { 'application/problem+json': { schema: { $ref: refTo('Problem') } } },
    },
  };
}

function schemaOf(schema: z.ZodType, io: Direction): JsonSchema {
  const named = NAMED.find(([, known]) => known === schema);
  if (named !== undefined) return { $ref: refTo(named[0]) };
  const registry = z.registry<{ id: string }>();
  for (const [name, known, way] of NAMED) if (way === io) registry.add(known, { id: name });
  registry.add(schema, { id: INLINE });
  const made = z.toJSONSchema(registry, { io, uri: refTo, unrepresentable: 'any' });
  return bare(made.schemas[INLINE] ?? {});
}

/** The name under which a schema without one is made; nothing refers to it. */
const INLINE = 'Inline';

/** A schema inside a document has the document's dialect and address. */
function bare(schema: JsonSchema): JsonSchema {
  const { $schema: _dialect, $id: _address, ...rest } = schema;
  return rest;
}
