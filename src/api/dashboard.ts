/**
 * Bull Board over the fleet's queues. It authenticates nobody: {@link createApp} puts its guard in front. Loaded at the
 * first visit, since most API processes never show it.
 */
import type { Queue } from 'bullmq';
import type { ApiMiddleware } from './api-context.js';
import { DASHBOARD_PATH } from './middleware/guard-dashboard.js';

export function createDashboard(queues: readonly Queue[]): ApiMiddleware {
  let loaded: Promise<ApiMiddleware> | undefined;
  return async (ctx, next) => {
    loaded ??= load(queues);
    const board = await loaded;
    await board(ctx, next);
  };
}

async function load(queues: readonly Queue[]): Promise<ApiMiddleware> {
  const [{ createBullBoard }, { BullMQAdapter }, { KoaAdapter }] = await Promise.all([
    import('@bull-board/api'),
    import('@bull-board/api/bullMQAdapter'),
    import('@bull-board/koa'),
  ]);
  const serverAdapter = new KoaAdapter();
  serverAdapter.setBasePath(DASHBOARD_PATH);
  createBullBoard({
    queues: queues.map((queue) => new BullMQAdapter(queue)),
    serverAdapter,
    options: { uiConfig: { boardTitle: 'sworn' } },
  });
  return serverAdapter.registerPlugin({ mount: DASHBOARD_PATH }) as ApiMiddleware;
}
