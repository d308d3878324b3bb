/** The guard worker: reviews, releases and finalizes Runs; only it can publish (FL-3). */
import { GUARDS_QUEUE, RunJob } from '../../shared/domain/contracts/jobs.js';
import { createModelClient } from '../../shared/adapters/openai/model-client.js';
import { createToolQueues } from '../../shared/adapters/bullmq/parent-job.js';
import { createRunReader } from '../../shared/adapters/mysql/run-reader.js';
import { createRunSweep } from '../../shared/adapters/mysql/run-sweep.js';
import { createLease } from '../../shared/adapters/redis/lease.js';
import { budgetsOf, readWorkerEnv } from '../../shared/runtime/env.js';
import { systemClock } from '../../shared/runtime/identity.js';
import { createLogger } from '../../shared/runtime/logging.js';
import { runProcess } from '../../shared/runtime/process-runner.js';
import { modelOptions } from '../model-options.js';
import { openWorkerStores, workersStep } from '../open-stores.js';
import { guardLimits } from './guard-limits.js';
import { onCancelHint, release, type ReleaseDeps } from './release.js';
import { startSweeper } from './sweep.js';

await runProcess(async () => {
  const env = readWorkerEnv(process.env);
  const log = createLogger('guard', env.LOG_LEVEL);
  const hints: { handle: (runId: string) => void } = { handle: () => undefined };
  const stores = await openWorkerStores(env, log, (runId) => {
    hints.handle(runId);
  });
  const model = createModelClient(modelOptions(env, log));
  const deps: ReleaseDeps = {
    ...stores,
    model,
    clock: systemClock,
    log,
    budgets: budgetsOf(env),
    limits: guardLimits(env),
  };
  hints.handle = (runId) => void onCancelHint(deps, runId);
  const toolQueues = createToolQueues(stores.redis);
  const worker = await stores.work(GUARDS_QUEUE, env.GUARD_CONCURRENCY, (job, _token, signal) =>
    release(deps, RunJob.parse(job.data), signal),
  );
  const sweeper = startSweeper({
    ...deps,
    sweep: createRunSweep(stores.database),
    reader: createRunReader(stores.database),
    queue: stores.queue,
    lease: createLease(stores.redis, 'sweeper', env.SWEEP_INTERVAL_MS * 3),
    graceMs: Math.max(env.SWEEP_INTERVAL_MS, 2000),
    intervalMs: env.SWEEP_INTERVAL_MS,
    patienceMs: env.JOB_LOCK_MS * 2,
    runTimeoutMs: env.RUN_TIMEOUT_MS,
    restoreLimits: () => toolQueues.setGlobalConcurrency(env.TOOL_GLOBAL_CONCURRENCY),
  });
  log.info({}, 'ready');
  return {
    log,
    shutdownTimeoutMs: env.SHUTDOWN_TIMEOUT_MS,
    steps: [
      { name: 'sweeper', close: () => sweeper.close() },
      workersStep([worker], env.SHUTDOWN_TIMEOUT_MS),
      { name: 'model', close: () => model.close() },
      { name: 'tool queues', close: () => toolQueues.close() },
      ...stores.steps,
    ],
  };
});
