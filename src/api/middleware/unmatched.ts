/** What no route answered: 404, or 405 with `Allow` when the path exists under other methods; OPTIONS lists them. */
import type { ApiContext, ApiMiddleware } from '../api-context.js';
import { ApiProblem, notFound } from '../http/api-problem.js';

export function unmatched(): ApiMiddleware {
  return (ctx) => {
    const methods = methodsOf(ctx);
    if (methods.length === 0) throw notFound('No route has this path; /api/openapi.json lists them.');
    const allow = [...new Set([...methods, 'OPTIONS'])].join(', ');
    if (ctx.method !== 'OPTIONS')
      throw new ApiProblem('METHOD_NOT_ALLOWED', `This path answers to ${allow}.`, {
        headers: { Allow: allow },
      });
    ctx.set('Allow', allow);
    ctx.status = 204;
  };
}

/** The router leaves the layers whose path fits, whatever their method. */
function methodsOf(ctx: Pick<ApiContext, 'method'>): string[] {
  const { matched } = ctx as { matched?: readonly { methods: readonly string[] }[] };
  return (matched ?? []).flatMap((layer) => layer.methods);
}
