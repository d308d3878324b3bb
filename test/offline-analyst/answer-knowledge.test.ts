import { expect } from 'chai';
import { answerKnowledge } from '../../src/offline-analyst/stages/answer-knowledge.js';
import { KnowledgeDraft } from '../../src/shared/domain/contracts/draft.js';
import {
  RagLookupArgs,
  type RagLookupProjection,
} from '../../src/shared/domain/contracts/tools/rag-lookup.js';
import { canonicalJson } from '../../src/shared/domain/guards/canonical-json.js';
import { bindKnowledge } from '../../src/shared/domain/guards/knowledge.js';
import { agentMessages, type CommittedCall } from '../../src/shared/domain/prompts/agent-messages.js';
import type { AgentPayload } from '../../src/shared/domain/prompts/payloads.js';
import { lookUp } from './support/shop-runbooks.js';

const RUN = 'run-under-test';

function payloadOf(query: string, earlier: string[] = []): AgentPayload {
  return {
    query,
    window: { from: '2024-05-06T10:00:00.000Z', to: '2024-05-06T11:00:00.000Z' },
    conversation: earlier.map((text) => ({ query: text, answer: '' })),
    previous_turn: null,
    material: { services: [], databases: [] },
  };
}

/** The lookup that it asks for. */
function asked(payload: AgentPayload): { id: string; query: string; topK: number } {
  const said = answerKnowledge(agentMessages('KNOWLEDGE_QUERY', payload, []), ['rag_lookup']);
  expect(said.finishReason).to.equal('tool_calls');
  expect(said.toolCalls).to.have.length(1);
  const call = said.toolCalls[0];
  if (call === undefined) throw new Error('no lookup');
  expect(call.name).to.equal('rag_lookup');
  const args = RagLookupArgs.parse(JSON.parse(call.arguments));
  return { id: call.id, query: args.query, topK: args.top_k ?? 5 };
}

function draftAfter(payload: AgentPayload, call: CommittedCall, notices: string[] = []): KnowledgeDraft {
  const rounds = [{ content: '', calls: [call], notices }];
  const said = answerKnowledge(agentMessages('KNOWLEDGE_QUERY', payload, rounds), ['rag_lookup']);
  expect(said.finishReason).to.equal('stop');
  return KnowledgeDraft.parse(JSON.parse(said.content));
}

function committed(id: string, projection: RagLookupProjection): CommittedCall {
  const json = canonicalJson(projection);
  return { toolCallId: id, tool: 'rag_lookup', arguments: '{}', answer: { kind: 'projection', json } };
}

describe('KQ-2 KQ-3 the offline analyst’s knowledge answers', () => {
  it('asks once, and binds every item to that lookup and to documents that it returned', () => {
    const payload = payloadOf('What should I do about slow statements after a migration?');
    const { id, query, topK } = asked(payload);
    const projection = lookUp(id, query, topK);
    const draft = draftAfter(payload, committed(id, projection));
    const record = {
      run_id: RUN,
      tool_call_id: id,
      tool: 'rag_lookup',
      status: 'READY',
      evidence_status: projection.evidence_status,
      scope: canonicalJson(projection.scope),
      agent_result: canonicalJson(projection),
      started_at: '2024-05-06T11:00:00.000Z',
      finished_at: '2024-05-06T11:00:01.000Z',
    };
    const bound = bindKnowledge(RUN, draft, { toolCallId: id, raw: record });
    expect(bound.ok ? '' : bound.fault).to.equal('');
    if (!bound.ok) return;
    expect(bound.answer.references.map(({ document_id }) => document_id)).to.deep.equal(['slow-statements']);
    expect(bound.answer.answer).to.match(/^Mitigation: Create the index on orders again, online\. \[1\]/);
    expect(bound.answer.answer).to.include('Compare the slow query log before and after the migration.');
    expect(draft.limitations[0]).to.include('offline analyst');
  });

  it('begins with what a thing means when that is asked', () => {
    const payload = payloadOf('What does slow statements after a migration mean?');
    const { id, query, topK } = asked(payload);
    const draft = draftAfter(payload, committed(id, lookUp(id, query, topK)));
    expect(draft.answer_items[0]?.text).to.match(
      /^Meaning: Statements on orders take long because an index is gone\.$/,
    );
    expect(draft.answer_items.every(({ text }) => !text.startsWith('Mitigation'))).to.equal(true);
  });

  it('looks a follow-up up together with what it follows', () => {
    expect(asked(payloadOf('and then?', ['How do I stop the mail queue?'])).query).to.equal(
      'How do I stop the mail queue? and then?',
    );
  });

  it('has no items without documents, after an error and after a refusal, and says why', () => {
    const payload = payloadOf('How do I renew a passport?');
    const { id, query, topK } = asked(payload);
    const none = draftAfter(payload, committed(id, lookUp(id, query, topK)));
    expect(none.answer_items).to.deep.equal([]);
    expect(none.limitations.join(' ')).to.include('found no runbook');
    const answer = { kind: 'error' as const, code: 'UNAVAILABLE', message: 'away' };
    const failed = draftAfter(payload, { toolCallId: id, tool: 'rag_lookup', arguments: '{}', answer });
    expect(failed.answer_items).to.deep.equal([]);
    expect(failed.limitations.join(' ')).to.include('failed');
    const rounds = [{ content: '', calls: [], notices: ['A call was not run.'] }];
    const refused = answerKnowledge(agentMessages('KNOWLEDGE_QUERY', payload, rounds), ['rag_lookup']);
    expect(KnowledgeDraft.parse(JSON.parse(refused.content)).answer_items).to.deep.equal([]);
  });

  it('repeats the document’s own words alone', () => {
    const payload = payloadOf('How do I handle slow statements after a migration?');
    const { id, query, topK } = asked(payload);
    const projection = lookUp(id, query, topK);
    const excerpts = projection.documents.map(({ excerpt }) => excerpt).join('\n');
    for (const { text } of draftAfter(payload, committed(id, projection)).answer_items)
      expect(excerpts).to.include(text.slice(text.indexOf(': ') + 2));
  });
});
