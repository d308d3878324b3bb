import { expect } from 'chai';
import fc from 'fast-check';
import { answer } from '../../src/offline-analyst/answer.js';
import { Draft, KnowledgeDraft } from '../../src/shared/domain/contracts/draft.js';
import { TOOL_NAMES } from '../../src/shared/domain/contracts/tools/common.js';
import { canonicalJson } from '../../src/shared/domain/guards/canonical-json.js';
import { judgeToolCalls } from '../../src/shared/domain/guards/tool-call-identity.js';
import { agentMessages, type CommittedRound } from '../../src/shared/domain/prompts/agent-messages.js';
import type { ChatMessage } from '../../src/shared/domain/prompts/messages.js';
import type { AgentPayload } from '../../src/shared/domain/prompts/payloads.js';
import { STAGES } from '../../src/shared/ports/model-client.js';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    'Why is `x` slow?',
    'How many "a" per b?',
    'orders.*(',
    'constructor',
    '__proto__',
    '$1 \\ /',
  ),
);

const payloads: fc.Arbitrary<AgentPayload> = fc.record({
  query: text,
  window: fc.constant({ from: '2024-05-06T10:00:00.000Z', to: '2024-05-06T11:00:00.000Z' }),
  conversation: fc.array(fc.record({ query: text, answer: text }), { maxLength: 2 }),
  previous_turn: fc.constant(null),
  material: fc.record({
    services: fc.array(text, { maxLength: 4 }),
    databases: fc.array(fc.record({ name: text, tables: fc.array(text, { maxLength: 4 }) }), {
      maxLength: 2,
    }),
  }),
});

/** Every call fails, or every search finds these messages. */
function played(payload: AgentPayload, messages: string[]): { content: string; rounds: number } {
  const rounds: CommittedRound[] = [];
  const usedIds = new Set<string>();
  for (;;) {
    const said = answer('diagnosis', agentMessages('DIAGNOSIS', payload, rounds), TOOL_NAMES);
    if (said.finishReason === 'stop') return { content: said.content, rounds: rounds.length };
    if (rounds.length > 12) throw new Error('the analyst does not come to an end');
    const judged = judgeToolCalls(said.toolCalls, { usedIds, offered: new Set(TOOL_NAMES), callsLeft: 24 });
    rounds.push({
      content: '',
      notices: [],
      calls: judged.map((call) => {
        if (call.kind !== 'accepted') throw new Error(`not accepted: ${call.message}`);
        usedIds.add(call.id);
        const json =
          call.tool === 'log_search' && messages.length > 0 ? found(call.id, call.arguments, messages) : null;
        return {
          toolCallId: call.id,
          tool: call.tool,
          arguments: call.arguments,
          answer:
            json === null
              ? { kind: 'error' as const, code: 'FAILED', message: 'away' }
              : { kind: 'projection' as const, json },
        };
      }),
    });
  }
}

function found(id: string, json: string, messages: string[]): string {
  const args = JSON.parse(json) as { from: string; to: string; group_by?: string };
  return canonicalJson({
    tool: 'log_search',
    tool_call_id: id,
    evidence_status: 'EVIDENCE_FOUND',
    scope: {
      window: { from: args.from, to: args.to },
      query: null,
      service: null,
      level: null,
      limit: 20,
      group_by: args.group_by ?? null,
      assumptions: [],
    },
    matched: messages.length,
    truncated: false,
    entries: messages.map((message, index) => ({
      timestamp: '2024-05-06T10:30:00.000Z',
      service: 'a',
      level: 'ERROR',
      message,
      source: `a.log:${index + 1}`,
    })),
    groups: messages.map((key) => ({ key, count: 1 })),
  });
}

describe('ID-2 RP-9 the offline analyst under any material', () => {
  it('comes to an end with a valid Draft, whatever is asked, listed and found, and uses no ID twice', () => {
    fc.assert(
      fc.property(payloads, fc.array(text, { maxLength: 4 }), (payload, messages) => {
        const { content, rounds } = played(payload, messages);
        expect(Draft.safeParse(JSON.parse(content)).success).to.equal(true);
        expect(rounds).to.be.at.most(8);
      }),
      { numRuns: 200 },
    );
  });

  it('draws no conclusion when every call failed', () => {
    fc.assert(
      fc.property(payloads, (payload) => {
        const draft = Draft.parse(JSON.parse(played(payload, []).content));
        expect(draft.conclusion).to.equal(null);
        expect(draft.analyses).to.deep.equal([]);
      }),
      { numRuns: 100 },
    );
  });

  it('answers every stage on any messages', () => {
    const message: fc.Arbitrary<ChatMessage> = fc.oneof(
      fc.record({ role: fc.constantFrom('system' as const, 'user' as const), content: text }),
      fc.record({ role: fc.constant('tool' as const), toolCallId: text, content: text }),
      fc.record({
        role: fc.constant('assistant' as const),
        content: text,
        toolCalls: fc.array(fc.record({ id: text, name: text, arguments: text }), { maxLength: 2 }),
      }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...STAGES), fc.array(message, { maxLength: 5 }), (stage, messages) => {
        const said = answer(stage, messages, TOOL_NAMES);
        expect(said.finishReason).to.equal('stop');
        const value: unknown = JSON.parse(said.content);
        if (stage === 'diagnosis') expect(Draft.safeParse(value).success).to.equal(true);
        if (stage === 'knowledge') expect(KnowledgeDraft.safeParse(value).success).to.equal(true);
      }),
    );
  });
});
