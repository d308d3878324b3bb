/** One question from its submission to the finished Run. */
import type { ChatRequest } from '../../shared/domain/contracts/chat.js';
import type { RunView } from '../../shared/domain/contracts/run.js';
import type { RunClient } from './run-client.js';
import type { RunFrame } from './run-frame.js';

/**
 * @param onFrame each frame once, in order.
 * @throws {ClientFault}, and the signal's reason; the Run itself goes on then.
 */
export async function ask(
  client: RunClient,
  request: ChatRequest,
  onFrame: (frame: RunFrame) => void,
  signal?: AbortSignal,
): Promise<RunView> {
  const { runId } = await client.start(request, signal);
  for await (const frame of client.follow(runId, signal)) onFrame(frame);
  return client.read(runId, signal);
}
