/** `GET /api/openapi.json`. */
import { z } from 'zod';
import { defineRoute, type Route } from '../routes/route.js';
import { openApiDocument } from './openapi-document.js';

/** The document of the given routes and of this one. Made once, at the first request. */
export function openApiRoute(routes: readonly Route[]): Route {
  let document: unknown;
  const route = defineRoute({
    method: 'get',
    path: '/api/openapi.json',
    operationId: 'describe',
    summary: 'This interface as an OpenAPI 3.1 document',
    role: null,
    answers: { 200: { description: 'The document', content: [z.looseObject({ openapi: z.string() })] } },
    handle: () => {
      document ??= openApiDocument([...routes, route]);
      return Promise.resolve({ status: 200, body: document });
    },
  });
  return route;
}
