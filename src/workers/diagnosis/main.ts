/** The diagnosis worker: model rounds on `runs`, Tool jobs on `tools.<tool>` (FL-2). */
import { createToolQueues, parentJob } from '../../shared/adapters/bullmq/parent-job.js';
import { createSessionHistory } from '../../shared/adapters/mysql/run-intake.js';
import { createModelClient } from '../../shared/adapters/openai/model-client.js';
import { RunJob, RUNS_QUEUE, ToolJob, toolQueue } from '../../shared/domain/contracts/jobs.js';
import { budgetsOf, readWorkerEnv } from '../../shared/runtime/env.js';
import { systemClock } from '../../shared/runtime/identity.js';
import { createLogger } from '../../shared/runtime/logging.js';
import { runProcess } from '../../shared/runtime/process-runner.js';
import { modelOptions } from '../model-options.js';
import { openWorkerStores, workersStep } from '../open-stores.js';
import { callTool, type CallToolDeps } from './call-tool.js';
import { diagnose, type DiagnoseDeps } from './diagnose.js';
import { createTimeLeft } from './engine.js';
import { createMaterialSource } from './gather-context.js';
import { openTools } from './open-tools.js';

await runProcess(async () => {
  const env = readWorkerEnv(process.env);
  const log = createLogger('diagnosis', env.LOG_LEVEL);
  const stores = await openWorkerStores(env, log);
  const model = createModelClient(modelOptions(env, log));
  const tools = openTools(env, stores.database);
  const toolQueues = createToolQueues(stores.redis);
  await toolQueues.setGlobalConcurrency(env.TOOL_GLOBAL_CONCURRENCY);
  const budgets = budgetsOf(env);
  const common = { ...stores, model, tools, clock: systemClock, log, budgets };
  const diagnoseDeps: DiagnoseDeps = {
    ...common,
    history: createSessionHistory(stores.database),
    limits: { modelTimeoutMs: env.MODEL_TIMEOUT_MS },
    timeLeft: createTimeLeft(systemClock, budgets),
    material: createMaterialSource([...tools.values()], () => systemClock.now().getTime()),
    saturationRounds: env.SATURATION_ROUNDS,
  };
  const toolDeps: CallToolDeps = {
    ...common,
    toolTimeoutMs: env.TOOL_TIMEOUT_MS,
    runTimeoutMs: env.RUN_TIMEOUT_MS,
    maxResultBytes: env.AGENT_RESULT_MAX_BYTES,
  };
  const workers = await Promise.all([
    stores.work(RUNS_QUEUE, env.RUN_CONCURRENCY, (job, token, signal) =>
      diagnose(diagnoseDeps, RunJob.parse(job.data), parentJob(job, token, toolQueues), signal),
    ),
    ...[...tools.keys()].map((tool) =>
      stores.work(toolQueue(tool), env.TOOL_CONCURRENCY, (job, _token, signal) =>
        callTool(toolDeps, ToolJob.parse(job.data), signal),
      ),
    ),
  ]);
  log.info({ tools: [...tools.keys()] }, 'ready');
  return {
    log,
    shutdownTimeoutMs: env.SHUTDOWN_TIMEOUT_MS,
    steps: [
      workersStep(workers, env.SHUTDOWN_TIMEOUT_MS),
      { name: 'tools', close: () => Promise.all([...tools.values()].map((tool) => tool.close())) },
      { name: 'model', close: () => model.close() },
      { name: 'tool queues', close: () => toolQueues.close() },
      ...stores.steps,
    ],
  };
});
