import { expect } from 'chai';
import fc from 'fast-check';
import { ToolCallAccumulator } from '../../src/shared/adapters/openai/tool-call-accumulator.js';
import type { ModelToolCall } from '../../src/shared/ports/model-client.js';

type Fragment = Readonly<Record<string, unknown>>;

function grown(fragments: readonly Fragment[]): ModelToolCall[] {
  const accumulator = new ToolCallAccumulator();
  for (const fragment of fragments) accumulator.addFragment(fragment);
  return accumulator.calls();
}

const call = (id: string, name: string, args: string): ModelToolCall => ({ id, name, arguments: args });
const begin = (index: number | undefined, id: string, name: string, args = ''): Fragment => ({
  ...(index === undefined ? {} : { index }),
  id,
  type: 'function',
  function: { name, arguments: args },
});
const more = (index: number | undefined, args: string): Fragment => ({
  ...(index === undefined ? {} : { index }),
  function: { arguments: args },
});

describe('ID-1 tool calls out of a stream keep the IDs that the model gave', () => {
  const two = [call('a', 'log_search', '{"x":1}'), call('b', 'rag_lookup', '{"y":2}')];

  it('joins fragments by index', () => {
    const fragments = [
      begin(0, 'a', 'log_search'),
      more(0, '{"x"'),
      begin(1, 'b', 'rag_lookup'),
      more(0, ':1}'),
    ];
    expect(grown([...fragments, more(1, '{"y":2}')])).to.deep.equal(two);
  });

  it('takes a new ID for a new call when the index is always 0', () => {
    const fragments = [begin(0, 'a', 'log_search'), more(0, '{"x":1}'), begin(0, 'b', 'rag_lookup')];
    expect(grown([...fragments, more(0, '{"y":2}')])).to.deep.equal(two);
  });

  it('takes a new ID for a new call when there is no index', () => {
    const fragments = [begin(undefined, 'a', 'log_search', '{"x"'), more(undefined, ':1}')];
    expect(grown([...fragments, begin(undefined, 'b', 'rag_lookup', '{"y":2}')])).to.deep.equal(two);
  });

  it('takes an index that begins at 1', () => {
    const fragments = [begin(1, 'a', 'log_search'), begin(2, 'b', 'rag_lookup'), more(1, '{"x":1}')];
    expect(grown([...fragments, more(2, '{"y":2}')])).to.deep.equal(two);
  });

  it('goes on with a call whose ID and name come again with every fragment', () => {
    const fragments = [begin(0, 'a', 'log_search', '{"x"'), begin(0, 'a', 'log_search', ':1}')];
    expect(grown(fragments)).to.deep.equal([two[0]]);
  });

  it('goes on with an earlier call that is named by its ID', () => {
    const fragments = [begin(0, 'a', 'log_search', '{"x"'), begin(0, 'b', 'rag_lookup', '{"y":2}')];
    expect(grown([...fragments, { index: 0, id: 'a', function: { arguments: ':1}' } }])).to.deep.equal(two);
  });

  it('gives the index later to a call that began without one', () => {
    expect(grown([begin(undefined, 'a', 'log_search', '{"x"'), more(0, ':1}')])).to.deep.equal([two[0]]);
  });

  it('ID-3 keeps two calls of one ID apart, so that neither is run', () => {
    expect(grown([begin(0, 'a', 'one', '{}'), begin(1, 'a', 'one', '{}')])).to.have.length(2);
    expect(grown([begin(0, 'a', 'one', '{}'), begin(0, 'a', 'two', '{}')])).to.have.length(2);
    const whole = new ToolCallAccumulator();
    for (const text of ['', '{}']) whole.addWhole({ id: 'a', function: { name: 'one', arguments: text } });
    expect(whole.calls()).to.deep.equal([call('a', 'one', ''), call('a', 'one', '{}')]);
  });

  it('ID-3 keeps empty IDs and names as they are', () => {
    expect(grown([begin(0, '', '', '{}'), begin(1, '', 'log_search', '{}')])).to.deep.equal([
      call('', '', '{}'),
      call('', 'log_search', '{}'),
    ]);
    expect(grown([{ index: 0 }, { index: 1, id: 7, function: null }])).to.deep.equal([
      call('', '', ''),
      call('', '', ''),
    ]);
  });

  it('does not give a call without an ID the ID of the call before', () => {
    const fragments = [
      begin(0, 'a', 'log_search', '{}'),
      { index: 0, function: { name: 'rag_lookup', arguments: '{}' } },
    ];
    expect(grown(fragments)).to.deep.equal([call('a', 'log_search', '{}'), call('', 'rag_lookup', '{}')]);
  });

  it('writes arguments out that came as an object', () => {
    expect(grown([{ id: 'a', function: { name: 'one', arguments: { x: [1] } } }])).to.deep.equal([
      call('a', 'one', '{"x":[1]}'),
    ]);
  });

  it('comes to the same calls however they are numbered and cut', () => {
    const numbering = fc.constantFrom('from 0', 'from 1', 'always 0', 'none');
    const calls = fc.uniqueArray(
      fc.record({
        id: fc.string({ minLength: 1 }),
        name: fc.string({ minLength: 1 }),
        arguments: fc.string(),
      }),
      { selector: ({ id }) => id, minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(calls, numbering, fc.integer({ min: 1, max: 4 }), (expected, scheme, size) => {
        const fragments = expected.flatMap((one, position) => {
          const index = { 'from 0': position, 'from 1': position + 1, 'always 0': 0, none: undefined }[
            scheme
          ];
          const pieces = one.arguments.match(new RegExp(`.{1,${size}}`, 'gsu')) ?? [];
          return [begin(index, one.id, one.name), ...pieces.map((piece) => more(index, piece))];
        });
        expect(grown(fragments)).to.deep.equal(expected);
      }),
    );
  });
});
