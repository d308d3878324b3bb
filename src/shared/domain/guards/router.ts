/** The Router's input and verdict (KQ-1). */
import { RouterVerdict } from '../contracts/verdict.js';
import type { ChatMessage } from '../prompts/messages.js';
import type { RouterPayload } from '../prompts/payloads.js';
import { ROUTER_SYSTEM } from '../prompts/router.js';
import { canonicalJson } from './canonical-json.js';
import { readReply, type ReadReply, type StageReply } from './reply.js';

export const ROUTER_MAX_BYTES = 4096;

export function routerMessages(payload: RouterPayload): ChatMessage[] {
  return [
    { role: 'system', content: ROUTER_SYSTEM },
    { role: 'user', content: canonicalJson(payload) },
  ];
}

export function readRouterVerdict(reply: StageReply): ReadReply<RouterVerdict> {
  return readReply(reply, RouterVerdict, ROUTER_MAX_BYTES);
}
