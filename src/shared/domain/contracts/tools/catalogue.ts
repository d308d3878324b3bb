/** The tools by name: argument schema, scope schema and projection schema of each, in one table. */
import { z } from 'zod';
import type { ToolName } from './common.js';
import { LogSearchArgs, LogSearchProjection, LogSearchScope } from './log-search.js';
import { MysqlQueryArgs, MysqlQueryProjection, MysqlQueryScope } from './mysql-query.js';
import { RagLookupArgs, RagLookupProjection, RagLookupScope } from './rag-lookup.js';

export const TOOL_CONTRACTS = {
  rag_lookup: { args: RagLookupArgs, scope: RagLookupScope, projection: RagLookupProjection },
  log_search: { args: LogSearchArgs, scope: LogSearchScope, projection: LogSearchProjection },
  mysql_query: { args: MysqlQueryArgs, scope: MysqlQueryScope, projection: MysqlQueryProjection },
} as const satisfies Record<ToolName, { args: z.ZodType; scope: z.ZodType; projection: z.ZodType }>;

export type ToolArgs<N extends ToolName> = z.infer<(typeof TOOL_CONTRACTS)[N]['args']>;
export type ToolScope = z.infer<(typeof TOOL_CONTRACTS)[ToolName]['scope']>;
export const Projection = z.union([RagLookupProjection, LogSearchProjection, MysqlQueryProjection]);
export type Projection = z.infer<typeof Projection>;

/** The name if it is one of ours; prototype names such as `constructor` are not. */
export function isToolName(name: string): name is ToolName {
  return Object.hasOwn(TOOL_CONTRACTS, name);
}
