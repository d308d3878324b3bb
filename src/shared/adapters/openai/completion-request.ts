/** A {@link ModelRequest} in the wire's words. Pure: the same request gives the same bytes (SG-4). */
import type {
  ChatCompletionCreateParams,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from 'openai/resources/chat/completions';
import type { ChatMessage, ModelRequest, ToolDefinition } from '../../ports/model-client.js';

export interface CompletionSettings {
  model: string;
  stream: boolean;
  /** `MODEL_JSON`: whether `response_format` is sent. */
  jsonMode: 'none' | 'schema';
}

export function completionParams(
  request: ModelRequest,
  settings: CompletionSettings,
): ChatCompletionCreateParams {
  return {
    model: settings.model,
    messages: request.messages.map(wireMessage),
    ...(request.tools.length === 0 ? {} : { tools: request.tools.map(wireTool) }),
    ...responseFormat(request, settings),
    ...(settings.stream ? { stream: true, stream_options: { include_usage: true } } : { stream: false }),
  };
}

/** For gateways, which route, price and log by stage (contract of the model's side). */
export function stageHeaders(request: ModelRequest): Record<string, string> {
  return {
    'X-Sworn-Stage': request.stage,
    'X-Sworn-Run': request.runId,
    'X-Sworn-Attempt': String(request.attempt),
  };
}

function wireMessage(message: ChatMessage): ChatCompletionMessageParam {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.content };
    case 'tool':
      return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
    case 'assistant':
      if (message.toolCalls.length === 0) return { role: 'assistant', content: message.content };
      return {
        role: 'assistant',
        // Beside tool calls some endpoints refuse empty text; null says that there is none.
        content: message.content === '' ? null : message.content,
        tool_calls: message.toolCalls.map((call) => ({
          id: call.id,
          type: 'function',
          function: { name: call.name, arguments: call.arguments },
        })),
      };
  }
}

function wireTool({ name, description, parameters }: ToolDefinition): ChatCompletionTool {
  return { type: 'function', function: { name, description, parameters } };
}

function responseFormat(
  request: ModelRequest,
  settings: CompletionSettings,
): Pick<ChatCompletionCreateParams, 'response_format'> {
  if (settings.jsonMode !== 'schema' || request.answerSchema === undefined) return {};
  const { name, schema } = request.answerSchema;
  return { response_format: { type: 'json_schema', json_schema: { name, schema, strict: true } } };
}
