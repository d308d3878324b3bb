/** The tools as a model sees them: their argument schemas are the very ones that validate (contract §5). */
import { z } from 'zod';
import { TOOL_CONTRACTS } from '../contracts/tools/catalogue.js';
import type { ToolName } from '../contracts/tools/common.js';
import type { ToolDefinition } from './messages.js';

export function toolDefinitions(tools: readonly { name: ToolName; description: string }[]): ToolDefinition[] {
  return tools.map(({ name, description }) => {
    const { $schema: _dialect, ...parameters } = z.toJSONSchema(TOOL_CONTRACTS[name].args, { io: 'input' });
    return { name, description, parameters };
  });
}
