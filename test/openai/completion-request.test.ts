import { expect } from 'chai';
import { completionParams } from '../../src/shared/adapters/openai/completion-request.js';
import type { ChatMessage } from '../../src/shared/ports/model-client.js';
import { requestOf } from './model-case.js';

const settings = { model: 'm', stream: false, jsonMode: 'none' as const };
const answerSchema = { name: 'verdict', schema: { type: 'object' } };

describe('RT-1 the request on the wire', () => {
  it('writes each kind of message in the words of the wire', () => {
    const call = { id: 'c1', name: 'log_search', arguments: '{"query":"x"}' };
    const messages: ChatMessage[] = [
      { role: 'system', content: 's' },
      { role: 'user', content: 'u' },
      { role: 'assistant', content: '', toolCalls: [call] },
      { role: 'tool', toolCallId: 'c1', content: '{}' },
      { role: 'assistant', content: 'a', toolCalls: [] },
      { role: 'assistant', content: '', toolCalls: [] },
    ];
    expect(completionParams(requestOf({ messages }), settings).messages).to.deep.equal([
      { role: 'system', content: 's' },
      { role: 'user', content: 'u' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'log_search', arguments: '{"query":"x"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: '{}' },
      { role: 'assistant', content: 'a' },
      { role: 'assistant', content: '' },
    ]);
  });

  it('offers tools only where there are some', () => {
    const tool = { name: 'rag_lookup', description: 'd', parameters: { type: 'object' } };
    expect(completionParams(requestOf(), settings)).not.to.have.property('tools');
    expect(completionParams(requestOf({ tools: [tool] }), settings).tools).to.deep.equal([
      { type: 'function', function: tool },
    ]);
  });

  it('asks a stream for its usage, and nothing of a whole answer', () => {
    expect(completionParams(requestOf(), { ...settings, stream: true })).to.deep.include({
      stream: true,
      stream_options: { include_usage: true },
    });
    const whole = completionParams(requestOf(), settings);
    expect(whole.stream).to.equal(false);
    expect(whole).not.to.have.property('stream_options');
  });

  it('sends response_format with MODEL_JSON=schema alone', () => {
    expect(completionParams(requestOf({ answerSchema }), settings)).not.to.have.property('response_format');
    expect(completionParams(requestOf(), { ...settings, jsonMode: 'schema' })).not.to.have.property(
      'response_format',
    );
    expect(
      completionParams(requestOf({ answerSchema }), { ...settings, jsonMode: 'schema' }).response_format,
    ).to.deep.equal({ type: 'json_schema', json_schema: { ...answerSchema, strict: true } });
  });

  it('SG-4 gives the same bytes for both attempts', () => {
    const bytes = (attempt: number): string =>
      JSON.stringify(completionParams(requestOf({ attempt }), settings));
    expect(bytes(2)).to.equal(bytes(1));
  });
});
