/** A chat completion request as the analyst takes it. Unknown fields are ignored, as endpoints of this kind do. Pure. */
import { z } from 'zod';
import type { ChatMessage } from '../../shared/domain/prompts/messages.js';
import type { Stage } from '../../shared/ports/model-client.js';

const StageHeader = z.enum([
  'router',
  'diagnosis',
  'knowledge',
  'repair',
  'semantic',
]) satisfies z.ZodType<Stage>;

const Content = z
  .union([z.string(), z.null(), z.array(z.object({ type: z.string(), text: z.string().optional() }))])
  .optional()
  .transform((content) =>
    Array.isArray(content) ? content.map((part) => part.text ?? '').join('') : (content ?? ''),
  );

const WireMessage = z.union([
  z.object({ role: z.enum(['system', 'developer']), content: Content }),
  z.object({ role: z.literal('user'), content: Content }),
  z.object({
    role: z.literal('assistant'),
    content: Content,
    tool_calls: z
      .array(z.object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
      .nullish(),
  }),
  z.object({ role: z.literal('tool'), tool_call_id: z.string(), content: Content }),
]);

const Body = z.object({
  model: z.string().optional(),
  messages: z.array(WireMessage).min(1),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
});

export interface ChatRequest {
  stage: Stage;
  messages: ChatMessage[];
  tools: string[];
  stream: boolean;
  includeUsage: boolean;
}

export type ReadRequest = { ok: true; request: ChatRequest } | { ok: false; message: string };

/** @param stage the `X-Sworn-Stage` header */
export function readChatRequest(body: string, stage: string | undefined): ReadRequest {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { ok: false, message: 'The body is not valid JSON.' };
  }
  const parsed = Body.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return {
      ok: false,
      message: `The request does not fit: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
    };
  }
  const known = StageHeader.safeParse(stage);
  if (!known.success)
    return {
      ok: false,
      message: `The header X-Sworn-Stage must be one of: ${StageHeader.options.join(', ')}.`,
    };
  const { messages, tools, stream, stream_options: streamOptions } = parsed.data;
  return {
    ok: true,
    request: {
      stage: known.data,
      messages: messages.map(toMessage),
      tools: (tools ?? []).map((tool) => tool.function.name),
      stream: stream ?? false,
      includeUsage: streamOptions?.include_usage ?? false,
    },
  };
}

function toMessage(message: z.infer<typeof WireMessage>): ChatMessage {
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: message.content };
    case 'user':
      return { role: 'user', content: message.content };
    case 'assistant':
      return {
        role: 'assistant',
        content: message.content,
        toolCalls: (message.tool_calls ?? []).map((call) => ({ id: call.id, ...call.function })),
      };
    case 'tool':
      return { role: 'tool', toolCallId: message.tool_call_id, content: message.content };
  }
}
