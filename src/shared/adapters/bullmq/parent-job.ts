/** {@link ParentJob} on BullMQ: Tool jobs as children of the diagnose job. */
import { Queue, type Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { QUEUE_PREFIX, ToolJob, toolQueue } from '../../domain/contracts/jobs.js';
import { TOOL_NAMES, type ToolName } from '../../domain/contracts/tools/common.js';
import type { ParentJob } from '../../ports/job-runner.js';
import { KEEP_COMPLETED } from './run-queue.js';

export interface ToolQueues {
  of(tool: ToolName): Queue;
  /** The fleet-wide limit per tool; set again whenever the store may have lost it. */
  setGlobalConcurrency(limit: number): Promise<void>;
  close(): Promise<void>;
}

export function createToolQueues(connection: Redis): ToolQueues {
  const queues = new Map(
    TOOL_NAMES.map((tool) => [tool, new Queue(toolQueue(tool), { connection, prefix: QUEUE_PREFIX })]),
  );
  for (const queue of queues.values()) queue.on('error', () => undefined);
  return {
    of: (tool) => {
      const queue = queues.get(tool);
      if (queue === undefined) throw new TypeError(`there is no queue for ${tool}`);
      return queue;
    },
    setGlobalConcurrency: async (limit) => {
      await Promise.all([...queues.values()].map((queue) => queue.setGlobalConcurrency(limit)));
    },
    close: async () => {
      await Promise.allSettled([...queues.values()].map((queue) => queue.close()));
    },
  };
}

export function parentJob(job: Job, token: string, queues: ToolQueues): ParentJob {
  const id = job.id ?? '';
  const parent = { id, queue: job.queueQualifiedName };
  return {
    addToolJobs: async (runId, attempt, calls) => {
      await Promise.all(
        TOOL_NAMES.map(async (tool) => {
          const own = calls.filter((call) => call.tool === tool);
          if (own.length === 0) return;
          await queues.of(tool).addBulk(
            own.map(({ call }) => ({
              name: 'call',
              data: ToolJob.parse({ runId, call }),
              opts: {
                jobId: `${runId}-a${attempt}-t${call}`,
                parent,
                ignoreDependencyOnFailure: true,
                // An ID that stays in `failed` would keep its parent waiting for ever.
                removeOnFail: true,
                removeOnComplete: KEEP_COMPLETED,
              },
            })),
          );
        }),
      );
    },
    park: () => job.moveToWaitingChildren(token),
    dropWaitingChildren: () => job.removeUnprocessedChildren(),
  };
}
