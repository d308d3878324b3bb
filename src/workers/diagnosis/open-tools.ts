/** The tools of this process, by what its environment names. */
import { createKnowledgeIndex } from '../../shared/adapters/knowledge/knowledge-index.js';
import { createRagLookupTool } from '../../shared/adapters/knowledge/rag-lookup-tool.js';
import { createLogSearchTool } from '../../shared/adapters/logs/log-search-tool.js';
import type { Database } from '../../shared/adapters/mysql/database.js';
import { createKnowledgeStore } from '../../shared/adapters/mysql/knowledge-store.js';
import { createRedactor } from '../../shared/adapters/redaction/redactor.js';
import { createMysqlQueryTool } from '../../shared/adapters/target-sql/mysql-query-tool.js';
import type { ToolName } from '../../shared/domain/contracts/tools/common.js';
import type { Tool } from '../../shared/ports/tool.js';
import type { WorkerEnv } from '../../shared/runtime/env.js';
import { systemClock } from '../../shared/runtime/identity.js';

export function openTools(env: WorkerEnv, database: Database): ReadonlyMap<ToolName, Tool> {
  const redact = createRedactor();
  const clock = systemClock;
  const index = createKnowledgeIndex({ store: createKnowledgeStore(database), clock });
  const tools: Tool[] = [createRagLookupTool({ index, redact, clock })];
  if (env.LOG_DIR !== undefined)
    tools.push(createLogSearchTool({ dir: env.LOG_DIR, timeZone: env.LOG_TIMEZONE, redact, clock }));
  if (env.TARGET_DATABASE_URL !== undefined) {
    tools.push(
      createMysqlQueryTool({
        url: env.TARGET_DATABASE_URL,
        targetSchemas: env.TARGET_SCHEMAS ?? [],
        redact,
        clock,
        poolSize: env.TOOL_CONCURRENCY,
        statementTimeoutMs: env.TOOL_TIMEOUT_MS,
      }),
    );
  }
  return new Map(tools.map((tool) => [tool.name, tool]));
}
