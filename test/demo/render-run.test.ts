import { expect } from 'chai';
import { columnsOf } from '../../src/cli/render/layout.js';
import { palette, viewOf, type View } from '../../src/cli/render/palette.js';
import { renderRun } from '../../src/cli/render/render-run.js';
import type { RunView } from '../../src/shared/domain/contracts/run.js';
import { LOG_SCOPE, logRecord, REPORT, runView, WINDOW } from './sample-runs.js';

const ESC = String.fromCharCode(27);
const PLAIN: View = { width: 100, palette: palette(false) };
/** Wrapped lines of evidence as one. */
const joined = (text: string): string => text.replaceAll(/\n +│ +/g, ' ');
const shown = (run: RunView, view = PLAIN): string => renderRun(run, view);

describe('RP-1 a published report on a terminal', () => {
  const text = shown(
    runView({
      report: REPORT,
      coverage: [
        { tool: 'log_search', scope: LOG_SCOPE, state: 'truncated' },
        { tool: 'log_search', scope: { window: WINDOW, service: 'payments' }, state: 'checked_empty' },
        {
          tool: 'mysql_query',
          scope: { database: 'shop', sql: 'SELECT 1' },
          state: 'denied',
          outsideWindow: true,
        },
      ],
    }),
  );

  it('shows every part of the report with its references', () => {
    for (const part of [
      'Why is checkout slow?',
      'SUCCESS',
      'The slow reads on orders began after the migration. [A1, A2]',
      'A1  The read took 4213 ms at 05:41:07.',
      '1. Create the index again. [A1]',
      'A person must confirm this first.',
      '2. Watch the query time. [A1]',
      '- Make an index invisible for a week first. [A1]',
      '- Only the last hour was read.',
      'window 2026-03-04 05:00:00–06:00:00Z · 2.4 s · run-01890000-0000-7000-8000-000000000001',
    ])
      expect(text).to.contain(part);
    expect(text.match(/A person must confirm/g)).to.have.length(1);
  });

  it('puts the evidence under its analysis: search, counts, the record that carries the sentence, the rest counted', () => {
    const under = joined(text.slice(text.indexOf('A1  '), text.indexOf('A2  ')));
    expect(under).to.contain(
      'log_search · orders · WARN and above · "slow query" · 2026-03-04 05:00:00–06:00:00Z',
    );
    expect(under).to.contain('408 matching entries, not all shown');
    expect(under).to.contain('orders.log:41 · 2026-03-04 05:41:07Z');
    expect(under).to.contain('WARN orders: slow query 4213 ms on orders');
    expect(under.match(/orders\.log:\d+/g)).to.have.length(3);
    expect(under).to.contain('and 7 more records');
  });

  it('IV-5 says what an empty search does not prove', () => {
    const under = joined(text.slice(text.indexOf('A2  ')));
    expect(under).to.contain('nothing was found in this scope; that proves no absence');
    expect(under).to.contain('0 matching entries');
  });

  it('shows rows and groups by name and value, their place once', () => {
    const scope = { database: 'shop', sql: 'SELECT 1' };
    const row = (excerpt: string) => ({
      tool: 'mysql_query',
      source: 'shop',
      scope,
      timestamp: WINDOW.to,
      excerpt,
    });
    const group = (excerpt: string) => ({ ...logRecord(1, ''), source: 'groups by ip', excerpt });
    const found = shown(
      runView({
        report: {
          ...REPORT,
          analyses: [
            {
              analysis_id: 'A1',
              kind: 'NORMAL',
              text: 'x',
              evidence: [
                row('{"id":7,"note":"a b","gone":null}'),
                row('[broken'),
                group('{"count":276,"key":"192.0.2.1"}'),
              ],
            },
          ],
        },
      }),
    );
    expect(found).to.contain('id: 7 · note: a b · gone: null');
    expect(found).to.contain('[broken');
    expect(found).to.contain('276 × 192.0.2.1');
    expect(found.match(/shop · 2026-03-04 06:00:00Z/g)).to.have.length(1);
  });

  it('sums the coverage up and lists each check that did not end well', () => {
    expect(text).to.contain(
      '3 checks: 1 cut short, 1 came back empty, 1 denied; 1 looked outside the window',
    );
    expect(text).to.contain('denied: mysql_query · shop · SELECT 1');
    expect(text).to.contain('truncated: log_search · orders');
  });

  it('names the offline analyst wherever its words stand', () => {
    expect(text).to.contain('sworn-offline-analyst (built in, works by rules; no language model was asked)');
    expect(shown(runView({ report: REPORT, models: ['gpt-x'] }))).to.contain('written by gpt-x\n');
  });

  it('keeps every line within the width, wide characters and long words included', () => {
    const wide = structuredClone(REPORT);
    wide.conclusion.text = `支払いが遅い${'原因'.repeat(60)} ${'x'.repeat(300)}`;
    wide.analyses[0]?.evidence.push(logRecord(50, `${'ログ'.repeat(400)} 4213`));
    for (const width of [40, 61, 110])
      for (const line of shown(runView({ report: wide }), { width, palette: palette(false) }).split('\n'))
        expect(columnsOf(line), line).to.be.at.most(width);
  });
});

describe('SE-2 rendering of hostile text', () => {
  const evil = `${ESC}[2J${ESC}]0;x\u0007\u202e\u009b31mtext\r\n${ESC}c`;
  const report = structuredClone(REPORT);
  report.conclusion.text += evil;
  report.limitations.push(evil);
  report.recommendations.push({ text: evil, analysis_ids: [evil] });
  report.analyses.push({
    analysis_id: evil,
    kind: 'NORMAL',
    text: evil,
    evidence: [
      { tool: evil, source: evil, scope: { sql: evil, query: evil }, timestamp: WINDOW.from, excerpt: evil },
    ],
  });
  const runs = {
    report: runView({
      report,
      query: evil,
      models: [evil],
      coverage: [{ tool: evil, scope: { sql: evil }, state: 'failed' }],
    }),
    knowledge: runView({
      knowledge: {
        answer: evil,
        references: [{ document_id: evil, title: evil, source: evil }],
        limitations: [evil],
      },
    }),
    fallback: runView({
      releaseOutcome: 'FALLBACK',
      fallback: {
        type: 'SEMANTIC_UNSUPPORTED',
        message: evil,
        verified_sources: [{ tool: evil, source: evil, scope: { service: evil }, timestamp: WINDOW.from }],
        observed_facts: [evil],
        missing_context: [evil],
      },
    }),
    failure: runView({
      status: 'FAILED',
      releaseOutcome: 'FAILED',
      error: { code: 'INTERNAL', message: evil },
    }),
  };
  for (const [what, run] of Object.entries(runs)) {
    it(`lets no control character of a ${what} through`, () => {
      expect(shown(run)).to.not.match(/(?!\n)\p{Cc}|\u202e/u);
      expect(shown(run)).to.contain('text');
    });
  }
});

describe('KQ-3 a knowledge answer on a terminal', () => {
  it('shows items, numbered references and limitations', () => {
    const text = shown(
      runView({
        intent: 'KNOWLEDGE_QUERY',
        knowledge: {
          answer: 'Stop the pipeline. [1]\n\nTake a backup. [2]',
          references: [
            { document_id: 'roll-back', title: 'Rolling back', source: 'roll-back.md' },
            { document_id: 'backups', title: 'Backups', source: 'backups.md' },
          ],
          limitations: ['Two runbooks were read.'],
        },
      }),
    );
    expect(text).to.contain('SUCCESS: every item below is bound to a document');
    expect(text).to.contain('  Stop the pipeline. [1]\n\n  Take a backup. [2]\n');
    expect(text).to.contain('[1] Rolling back · roll-back.md');
    expect(text).to.contain('[2] Backups · backups.md');
    expect(text).to.contain('- Two runbooks were read.');
  });
});

describe('RP-2 a fallback on a terminal', () => {
  it('shows type, message, facts, missing context, and each source once', () => {
    const source = { tool: 'log_search', source: 'orders.log', scope: { service: 'orders' } };
    const text = shown(
      runView({
        releaseOutcome: 'FALLBACK',
        fallback: {
          type: 'INSUFFICIENT_EVIDENCE',
          message: 'The checks that were made do not carry a conclusion.',
          verified_sources: [
            { ...source, timestamp: '2026-03-04T05:10:00.000Z' },
            { ...source, timestamp: '2026-03-04T05:50:00.000Z' },
            {
              tool: 'mysql_query',
              source: 'shop',
              scope: { database: 'shop' },
              timestamp: '2026-03-04T06:00:00.000Z',
            },
          ],
          observed_facts: ['log_search: no matching entry in this search'],
          missing_context: ['the name of the service'],
        },
      }),
    );
    expect(text).to.contain('FALLBACK: no conclusion passed, so none is shown');
    expect(text).to.contain('No conclusion is published (INSUFFICIENT_EVIDENCE)');
    expect(text).to.contain('- log_search: no matching entry in this search');
    expect(text).to.contain('- the name of the service');
    expect(text).to.contain('- orders.log · log_search · 2026-03-04 05:50:00Z · in 2 checks');
    expect(text).to.contain('- shop · mysql_query · 2026-03-04 06:00:00Z · shop');
    expect(text.match(/- orders\.log/g)).to.have.length(1);
    expect(text).to.contain('asked was sworn-offline-analyst').and.not.to.contain('written by');
  });

  it('RP-2a says nothing of checks that an out-of-scope question never had', () => {
    const text = shown(
      runView({
        intent: 'OUT_OF_SCOPE',
        releaseOutcome: 'FALLBACK',
        fallback: {
          type: 'OUT_OF_SCOPE',
          message: 'Not about your systems.',
          verified_sources: [],
          observed_facts: [],
          missing_context: [],
        },
      }),
    );
    expect(text).to.contain('OUT_OF_SCOPE');
    expect(text).to.not.contain('Coverage');
  });
});

describe('CA-2 Runs without a result on a terminal', () => {
  it('shows a failure with its code', () => {
    const text = shown(
      runView({
        status: 'FAILED',
        releaseOutcome: 'FAILED',
        models: [],
        error: { code: 'MODEL_UNAVAILABLE', message: 'The model did not answer.' },
      }),
    );
    expect(text).to.contain('The Run failed (MODEL_UNAVAILABLE)');
    expect(text).to.contain('The model did not answer.');
    expect(text).to.contain('no model was asked');
  });

  it('shows a cancelled Run and one that has not ended', () => {
    expect(shown(runView({ status: 'CANCELLED', releaseOutcome: 'CANCELLED' }))).to.contain(
      'CANCELLED: the Run was stopped, so nothing is published',
    );
    const going = shown(runView({ status: 'RUNNING', releaseOutcome: null, finishedAt: null }));
    expect(going).to.contain('RUNNING: the Run has not ended yet');
    expect(going).to.not.contain(' s ·');
  });
});

describe('SE-2 colour', () => {
  const run = runView({ report: REPORT });
  const colourOf = (stream: object, env: Record<string, string>): boolean =>
    renderRun(run, viewOf(stream, env)).includes(ESC);

  it('is there on a terminal alone', () => {
    expect(colourOf({ isTTY: true, columns: 80 }, {})).to.equal(true);
    expect(colourOf({}, { FORCE_COLOR: '1', CI: '1' })).to.equal(false);
  });

  it('is left out where NO_COLOR or a dumb terminal says so', () => {
    expect(colourOf({ isTTY: true }, { NO_COLOR: '1' })).to.equal(false);
    expect(colourOf({ isTTY: true }, { NO_COLOR: '' })).to.equal(true);
    expect(colourOf({ isTTY: true }, { TERM: 'dumb' })).to.equal(false);
  });

  it('changes no word, and the width follows the terminal within bounds', () => {
    const coloured = renderRun(run, { width: 100, palette: palette(true) });
    expect(coloured.replaceAll(new RegExp(`${ESC}\\[[\\d;]*m`, 'g'), '')).to.equal(shown(run));
    expect(viewOf({ isTTY: true, columns: 72 }, {}).width).to.equal(72);
    expect(viewOf({ isTTY: true, columns: 10 }, {}).width).to.equal(40);
    expect(viewOf({ columns: 10 }, {}).width).to.equal(100);
  });
});
