import { expect } from 'chai';
import { corpusQuestions, figureFaults, holds } from '../../demo/corpus/corpus-question.js';
import { demoFaults } from '../../demo/demo-faults.js';
import { REPORT, resultItem, runView, WINDOW } from './sample-runs.js';

const success = runView({ report: REPORT });
const fallback = runView({ releaseOutcome: 'FALLBACK' });
const failed = runView({
  status: 'FAILED',
  releaseOutcome: 'FAILED',
  error: { code: 'INTERNAL', message: 'm' },
});

describe('what the demo counts as shown', () => {
  it('a published report first, and no failed Run', () => {
    expect(demoFaults([success, fallback, fallback])).to.deep.equal([]);
    expect(demoFaults([fallback, success])).to.have.length(1);
    expect(demoFaults([])).to.have.length(1);
    expect(demoFaults([success, failed]).join()).to.contain('INTERNAL');
    expect(demoFaults([failed])).to.have.length(2);
  });
});

describe('EG-10 the corpus trial finds wrong figures', () => {
  const figures = {
    failedRootLogins: 370,
    topAddress: { address: '192.0.2.1', count: 276 },
    apacheErrors: 595,
    zookeeperErrors: 13,
    topCategory: { name: 'Sports', sales: '5314.21' },
  };
  const [logins, runbook, categories, , , unanswerable] = corpusQuestions(figures, {
    openSsh: WINDOW,
    apache: WINDOW,
    zookeeper: WINDOW,
  });

  const loginsRun = (text: string, matched: number) =>
    runView({
      report: {
        ...REPORT,
        conclusion: { text, analysis_ids: ['A1'] },
        analyses: [
          {
            analysis_id: 'A1',
            kind: 'NORMAL',
            text: 'x',
            evidence: [resultItem({}, { matched, truncated: true })],
          },
        ],
      },
    });

  it('takes a value only where it stands whole', () => {
    expect(holds('370 entries', '370')).to.equal(true);
    expect(holds('(370), of', '370')).to.equal(true);
    expect(holds('1,370 entries', '370')).to.equal(false);
    expect(holds('3700', '370')).to.equal(false);
    expect(holds('0.370', '370')).to.equal(false);
    expect(holds('370.5', '370')).to.equal(false);
    expect(holds('sum 5,314.21.', '5314.21')).to.equal(true);
    expect(holds('from 192.0.2.11', '192.0.2.1')).to.equal(false);
  });

  it('asks for the count, the address and its count, in words and in evidence', () => {
    const right = 'There are 370 failures; 192.0.2.1 leads with 276.';
    expect(logins?.faults(loginsRun(right, 370))).to.deep.equal([]);
    expect(logins?.faults(loginsRun(right, 37))).to.have.length(1);
    expect(
      logins?.faults(loginsRun('There are 371 failures; 192.0.2.1 leads with 276.', 370)),
    ).to.have.length(1);
    expect(
      logins?.faults(loginsRun('There are 370 failures; 192.0.2.9 leads with 276.', 370)),
    ).to.have.length(1);
    expect(logins?.faults(fallback)).to.not.deep.equal([]);
  });

  it('asks for the runbook as the first reference', () => {
    const answer = (id: string) =>
      runView({
        intent: 'KNOWLEDGE_QUERY',
        knowledge: {
          answer: 'a [1]',
          references: [{ document_id: id, title: 't', source: 's' }],
          limitations: [],
        },
      });
    expect(runbook?.faults(answer('kubernetes/KubePodCrashLooping'))).to.deep.equal([]);
    expect(runbook?.faults(answer('kubernetes/KubePodNotReady'))).to.have.length(1);
    expect(runbook?.faults(success)).to.have.length(1);
  });

  it('asks for name and sum of the top category, and for a fallback where nothing answers', () => {
    expect(categories?.faults(loginsRun('Sports earned most: 5314.21.', 1))).to.deep.equal([]);
    expect(categories?.faults(loginsRun('Sports earned most: 5314.20.', 1))).to.have.length(1);
    expect(unanswerable?.faults(fallback)).to.deep.equal([]);
    expect(unanswerable?.faults(success)).to.have.length(1);
  });

  it('tells files that are not the published ones', () => {
    expect(figureFaults(figures)).to.deep.equal([]);
    expect(figureFaults({ ...figures, apacheErrors: 0 })).to.have.length(1);
  });
});
