import { expect } from 'chai';
import type { ToolName } from '../../src/shared/domain/contracts/tools/common.js';
import { judgeToolCalls } from '../../src/shared/domain/guards/tool-call-identity.js';
import {
  agentMessages,
  type CommittedCall,
  type CommittedRound,
} from '../../src/shared/domain/prompts/agent-messages.js';
import type { ChatMessage } from '../../src/shared/domain/prompts/messages.js';
import {
  HarnessNotice,
  RepeatNotice,
  ToolErrorContent,
  type AgentPayload,
} from '../../src/shared/domain/prompts/payloads.js';
import { findRepeat } from '../../src/shared/domain/run/saturation.js';
import { toolDefinitions } from '../../src/shared/domain/prompts/tool-definitions.js';
import { TOOL_CONTRACTS } from '../../src/shared/domain/contracts/tools/catalogue.js';
import { logProjection } from './sample-records.js';

const PAYLOAD: AgentPayload = {
  query: 'why?',
  window: { from: '2026-11-30T10:00:00.000Z', to: '2026-11-30T11:00:00.000Z' },
  conversation: [],
  previous_turn: null,
  material: { services: [], databases: [] },
};
const messagesOf = (round: Partial<CommittedRound>): ChatMessage[] =>
  agentMessages('DIAGNOSIS', PAYLOAD, [{ content: '', calls: [], notices: [], ...round }]).slice(2);
const answer = (call: CommittedCall['answer']): string =>
  messagesOf({ calls: [{ toolCallId: 'late', tool: 'log_search', arguments: '{}', answer: call }] })[1]
    ?.content ?? '';

describe('BU-1 a call that repeats an earlier one', () => {
  const json = JSON.stringify(logProjection('early'));
  it('is told with the invocation that stands, and its result', () => {
    const notice = RepeatNotice.parse(JSON.parse(answer({ kind: 'repeat', of: 'early', json })));
    expect(notice).to.deep.include({
      tool_call_id: 'late',
      repeats: 'early',
      evidence_status: 'EVIDENCE_FOUND',
    });
    expect(notice.result).to.deep.equal(logProjection('early'));
  });
  for (const broken of ['', '{"tool":', 'null', '[]', '{"tool":"log_search"}'])
    it(`shows nothing when that result reads ${JSON.stringify(broken)}`, () => {
      const content = answer({ kind: 'repeat', of: 'early', json: broken });
      expect(ToolErrorContent.parse(JSON.parse(content))).to.deep.include({
        tool_call_id: 'late',
        evidence_status: 'ERROR',
      });
    });
});

describe('ID-3 what a refused call leaves in the transcript', () => {
  it('the same words stand once, however many calls they are about', () => {
    const [notice] = messagesOf({ notices: ['shared', 'unsafe', 'shared'] });
    expect(HarnessNotice.parse(JSON.parse(notice?.content ?? ''))).to.deep.equal({
      harness_notice: ['shared', 'unsafe'],
    });
  });
  it('a round without text and calls leaves no assistant message, one with text does', () => {
    expect(messagesOf({ notices: ['x'] }).map(({ role }) => role)).to.deep.equal(['user']);
    expect(messagesOf({ content: 'hm', notices: ['x'] }).map(({ role }) => role)).to.deep.equal([
      'assistant',
      'user',
    ]);
  });
  it('every tool message answers one tool call, in its order', () => {
    const calls = ['a', 'b', 'c'].map((toolCallId): CommittedCall => ({
      toolCallId,
      tool: 'log_search',
      arguments: '{}',
      answer: { kind: 'error', code: 'TIMEOUT', message: 'm' },
    }));
    const [assistant, ...answers] = messagesOf({ calls });
    expect(assistant?.role === 'assistant' && assistant.toolCalls.map(({ id }) => id)).to.deep.equal([
      'a',
      'b',
      'c',
    ]);
    expect(answers.map((message) => message.role === 'tool' && message.toolCallId)).to.deep.equal([
      'a',
      'b',
      'c',
    ]);
  });
});

describe('ID-3 arguments that a transcript may carry', () => {
  const offered = new Set<ToolName>(['rag_lookup']);
  it('are canonical and valid; of a call that cannot run there are none', () => {
    const judged = judgeToolCalls(
      ['{"query":"a"', '{"query":"a"}', '{"top_k":3,"query":" a "}', ''].map((text, index) => ({
        id: `c${index}`,
        name: 'rag_lookup',
        arguments: text,
      })),
      { usedIds: new Set(), offered, callsLeft: 9 },
    );
    expect(judged.map((call) => (call.kind === 'accepted' ? call.arguments : call.kind))).to.deep.equal([
      'error',
      '{"query":"a"}',
      '{"query":"a","top_k":3}',
      'error',
    ]);
  });
  it('a tool that is not offered is unknown, though it exists', () => {
    const [judged] = judgeToolCalls([{ id: 'a', name: 'mysql_query', arguments: '{"sql":"SELECT 1"}' }], {
      usedIds: new Set(),
      offered,
      callsLeft: 1,
    });
    expect(judged).to.deep.include({ kind: 'error', tool: 'unknown', code: 'UNKNOWN_TOOL' });
    expect(JSON.stringify(judged)).to.include('rag_lookup').and.not.include('mysql_query');
  });
});

describe('the tools as a model sees them', () => {
  const names = Object.keys(TOOL_CONTRACTS) as ToolName[];
  for (const definition of toolDefinitions(names.map((name) => ({ name, description: `about ${name}` }))))
    it(`${definition.name} is described, closed to other keys, and every argument says what it is`, () => {
      expect(definition.description).to.equal(`about ${definition.name}`);
      expect(definition.parameters).to.include({ type: 'object', additionalProperties: false });
      expect(definition.parameters).not.to.have.property('$schema');
      for (const property of Object.values(definition.parameters['properties'] as Record<string, unknown>))
        expect(property).to.have.property('description').that.is.a('string').and.is.not.empty;
    });
});

describe('ID-3 arguments are bounded', () => {
  it('longer ones come to nothing, though they would be valid JSON', () => {
    const args = (padding: number): string => `{"query":"a"${' '.repeat(padding)}}`;
    const kinds = judgeToolCalls(
      [20, 40_000].map((padding, index) => ({
        id: `c${index}`,
        name: 'rag_lookup',
        arguments: args(padding),
      })),
      { usedIds: new Set(), offered: new Set(['rag_lookup']), callsLeft: 9 },
    ).map((call) => (call.kind === 'accepted' ? call.kind : call.code));
    expect(kinds).to.deep.equal(['accepted', 'INVALID_ARGUMENTS']);
  });
});

describe('BU-1 a repeat leads to the invocation that stands', () => {
  it('never to another repeat', () => {
    const call = { tool: 'log_search', arguments: '{}', status: 'READY' };
    const past = [
      { ...call, call: 4, repeatsCall: 2 },
      { ...call, call: 2, repeatsCall: null },
    ];
    expect(findRepeat(call, past)?.call).to.equal(2);
    expect(findRepeat(call, past.slice(0, 1))).to.equal(null);
  });
});
