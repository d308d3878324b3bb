/** The OpenAPI document is made from what serves: walked here, operation by operation. */
import { expect } from 'chai';
import { SseClient } from './support/sse-client.js';
import { TestApi, TOKENS } from './support/test-api.js';

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: Record<string, unknown>;
}
interface Operation {
  operationId: string;
  parameters: Parameter[];
  requestBody?: { content: Record<string, { schema: Record<string, unknown> }> };
  responses: Record<
    string,
    { description: string; content?: Record<string, { schema: Record<string, unknown> }> }
  >;
  security: object[];
}
interface Document {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Record<string, unknown>> };
}

/** Every `$ref` within a value. */
function refs(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(refs);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : refs(inner),
  );
}

function at(document: unknown, pointer: string): unknown {
  return pointer
    .slice(2)
    .split('/')
    .reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], document);
}

describe('FL-1 GET /api/openapi.json', () => {
  let api: TestApi;
  let document: Document;
  before(async () => {
    api = await TestApi.start();
    document = (await (await api.fetch('/api/openapi.json', null)).json()) as Document;
  });
  after(() => api.close());

  const operations = (): [path: string, method: string, operation: Operation][] =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, string, Operation] => [
        path,
        method,
        operation,
      ]),
    );

  it('is OpenAPI 3.1, names each operation once, and every reference leads to something', () => {
    expect(document.openapi).to.match(/^3\.1\.\d$/);
    const ids = operations().map(([, , { operationId }]) => operationId);
    expect(new Set(ids).size).to.equal(ids.length);
    const found = refs(document);
    expect(found).to.include('#/components/schemas/Run');
    for (const ref of found) expect(at(document, ref), ref).to.be.an('object');
    expect(JSON.stringify(document)).to.not.contain('"$schema"').and.to.not.contain('"$id"');
  });

  it('has the routes of the contract', () => {
    expect(operations().map(([path, method]) => `${method} ${path}`)).to.have.members([
      'post /api/chat',
      'get /api/runs/{runId}',
      'get /api/runs/{runId}/events',
      'post /api/runs/{runId}/cancel',
      'get /api/chat/session/{sessionId}/runs',
      'get /api/diagnosis/{sessionId}/trace',
      'get /healthz',
      'get /readyz',
      'get /',
      'get /api/openapi.json',
    ]);
  });

  it('declares each path parameter, and problems where a caller can be refused', () => {
    for (const [path, , { parameters, responses, security }] of operations()) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = parameters.filter((each) => each.in === 'path');
      expect(declared.map(({ name }) => name)).to.have.members(names);
      expect(declared.every(({ required }) => required === true)).to.equal(true);
      if (security.length > 0)
        expect(responses['default']?.content).to.have.property('application/problem+json');
    }
    const body = document.components.schemas['ChatRequest'];
    expect(body).to.deep.include({ required: ['query'], additionalProperties: false });
  });

  it('every operation answers with a status and a media type that it declares', async () => {
    const { runId, sessionId } = await api.ask('ann');
    for (const [path, method, operation] of operations()) {
      const url = path.replace('{runId}', runId).replace('{sessionId}', sessionId);
      let status: string;
      let type: string;
      if (operation.responses['200']?.content?.['text/event-stream'] !== undefined && method === 'get') {
        const client = await SseClient.open({ url: `${api.server.url}${url}`, token: TOKENS.ann });
        status = String(client.response.statusCode);
        type = client.response.headers['content-type'] ?? '';
        client.leave();
      } else {
        const response =
          method === 'post' && operation.requestBody !== undefined
            ? await api.post(url, 'ann', { query: 'a' })
            : await api.fetch(url, 'ann', { method });
        status = String(response.status);
        type = response.headers.get('content-type') ?? '';
        await response.arrayBuffer();
      }
      const declared = operation.responses[status];
      expect(declared, `${operation.operationId} ${status}`).to.not.equal(undefined);
      expect(Object.keys(declared?.content ?? {}), operation.operationId).to.include(type.split(';')[0]);
    }
  });
});
