import { expect } from 'chai';
import fc from 'fast-check';
import { parseRecord, type RawRecord } from '../../src/shared/domain/guards/canonical-record.js';
import { checkDraft } from '../../src/shared/domain/guards/evidence-guard.js';
import {
  draft,
  emptyLogProjection,
  logProjection,
  OTHER_RUN,
  ragProjection,
  record,
  records,
  RUN,
  sqlProjection,
} from './sample-records.js';

const faultOf = (raw: RawRecord, id = 'x'): string => {
  const parsed = parseRecord(RUN, id, raw);
  return parsed.ok ? 'accepted' : parsed.fault;
};
const log = (overrides: Record<string, string> = {}): RawRecord => record('x', logProjection('x'), overrides);

describe('IV-3 a record is read by its projection alone', () => {
  for (const projection of [
    logProjection('x'),
    emptyLogProjection('x'),
    sqlProjection('x'),
    ragProjection('x'),
  ])
    it(`accepts ${String(projection['tool'])} with ${String(projection['evidence_status'])}`, () => {
      const parsed = parseRecord(RUN, 'x', record('x', projection));
      expect(parsed.ok && parsed.record.projection).to.deep.equal(projection);
    });
  it('accepts a record without a prototype, as a hash reply may be', () => {
    expect(faultOf(Object.assign(Object.create(null) as RawRecord, log()))).to.equal('accepted');
  });
});

describe('IV-1 IV-2 lifecycle and meaning are two fields, and both must fit', () => {
  const cases: [string, Record<string, string>, string][] = [
    ['PROJECTING', { status: 'PROJECTING', evidence_status: '', finished_at: '' }, 'NOT_READY'],
    ['ERROR', { status: 'ERROR', evidence_status: 'ERROR', agent_result: '' }, 'NOT_READY'],
    ['READY without an end', { finished_at: '' }, 'NOT_READY'],
    ['READY without a meaning', { evidence_status: '' }, 'STATUS_MISMATCH'],
    ['READY that means ERROR', { evidence_status: 'ERROR' }, 'STATUS_MISMATCH'],
    ['NO_EVIDENCE over a result that found something', { evidence_status: 'NO_EVIDENCE' }, 'STATUS_MISMATCH'],
    ['an unknown status', { status: 'DONE' }, 'MALFORMED'],
    ['an unknown meaning', { evidence_status: 'FOUND' }, 'MALFORMED'],
    ['a time that is none', { started_at: 'yesterday' }, 'MALFORMED'],
    ['another Run', { run_id: OTHER_RUN }, 'OTHER_RUN'],
    ['another call', { tool_call_id: 'y' }, 'OTHER_CALL'],
    ['another call in another case', { tool_call_id: 'X' }, 'OTHER_CALL'],
    ['an unknown tool', { tool: 'shell' }, 'UNKNOWN_TOOL'],
    ['a prototype name as tool', { tool: 'toString' }, 'UNKNOWN_TOOL'],
    ['no result', { agent_result: '' }, 'NO_RESULT'],
    ['a result that is no JSON', { agent_result: 'found 37' }, 'BAD_PROJECTION'],
    ['a result of null', { agent_result: 'null' }, 'BAD_PROJECTION'],
    ['a scope that is no JSON', { scope: 'everything' }, 'SCOPE_MISMATCH'],
    ['a wider scope than the projection has', { scope: '{"window":null}' }, 'SCOPE_MISMATCH'],
  ];
  for (const [what, overrides, fault] of cases)
    it(`refuses ${what}`, () => expect(faultOf(log(overrides))).to.equal(fault));

  it('refuses a record that lacks a field', () => {
    const { started_at: _gone, ...rest } = log();
    expect(faultOf(rest)).to.equal('MALFORMED');
  });
  it('does not mind the order of the scope’s keys', () => {
    const scope = JSON.parse(log()['scope'] ?? '') as Record<string, unknown>;
    const reversed = Object.fromEntries(Object.entries(scope).reverse());
    expect(faultOf(log({ scope: JSON.stringify(reversed) }))).to.equal('accepted');
  });
});

describe('IV-5 nothing found by a cut search is no negative observation', () => {
  const nothing = { evidence_status: 'NO_EVIDENCE', truncated: true };
  for (const [tool, projection] of [
    ['log_search', logProjection('x', { ...nothing, matched: 0, entries: [] })],
    ['mysql_query', sqlProjection('x', { ...nothing, rows: [], row_count: 0 })],
    ['rag_lookup', ragProjection('x', { ...nothing, documents: [] })],
  ] as const)
    it(tool, () => {
      expect(faultOf(record('x', projection))).to.equal('BAD_PROJECTION');
      expect(faultOf(record('x', { ...projection, truncated: false }))).to.equal('accepted');
    });
});

describe('EG-9 any damage to a record', () => {
  it('is refused or leaves its meaning as it was, and never throws', () => {
    const whole = log();
    const fields = fc.constantFrom(...Object.keys(whole));
    fc.assert(
      fc.property(fields, fc.oneof(fc.string(), fc.json()), (field, value) => {
        fc.pre(value !== whole[field]);
        const parsed = parseRecord(RUN, 'x', { ...whole, [field]: value });
        if (parsed.ok) expect(field).to.be.oneOf(['started_at', 'finished_at']);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('EG-6 one bad reference among good ones', () => {
  it('keeps the whole Draft from passing, also where it is cited beside an accepted one', () => {
    const [first, second] = draft().analyses;
    const mixed = draft({ analyses: [{ ...first!, tool_call_ids: ['call_log', 'ghost'] }, second!] });
    const verdict = checkDraft(RUN, mixed, records());
    expect(verdict).to.deep.equal({
      ok: false,
      violations: [
        {
          code: 'REFERENCE_UNRESOLVED',
          path: 'analyses.0.tool_call_ids.1',
          message: 'no invocation of this Run has this tool_call_id',
        },
      ],
    });
  });
});
