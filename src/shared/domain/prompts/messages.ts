/** Messages of a chat completion, as the harness builds them. */

/** A tool call as the model wrote it; nothing of it is trusted. `id` and `name` may be empty. */
export interface ModelToolCall {
  id: string;
  name: string;
  /** JSON text, perhaps invalid. */
  arguments: string;
}

export type ChatMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string; toolCalls: readonly ModelToolCall[] }
  | { role: 'tool'; toolCallId: string; content: string };

export interface ToolDefinition {
  name: string;
  description: string;
  /** JSON schema of the arguments. */
  parameters: Record<string, unknown>;
}
