/** The questions put to the corpus, and what a right answer to each must hold. Pure. */
import type { RunView } from '../../src/shared/domain/contracts/run.js';
import type { Window } from '../../src/shared/domain/contracts/window.js';
import type { KnownFigures } from './known-figures.js';

export interface CorpusQuestion {
  query: string;
  window: Window | null;
  /** What is wrong with the Run, one sentence each; empty when it is right. */
  faults(run: RunView): string[];
}

export interface LogSpans {
  openSsh: Window;
  apache: Window;
  zookeeper: Window;
}

const RUNBOOK = 'KubePodCrashLooping';

/** Counted when the corpus was put together; other counts mean that the files are not those. */
const PUBLISHED = { failedRootLogins: 370, apacheErrors: 595, zookeeperErrors: 13 } as const;

export function figureFaults(figures: Pick<KnownFigures, keyof typeof PUBLISHED>): string[] {
  return Object.entries(PUBLISHED)
    .map(([name, published]) => ({ name, published, counted: figures[name as keyof typeof PUBLISHED] }))
    .filter(({ published, counted }) => counted !== published)
    .map(({ name, published, counted }) => `the files hold ${counted} ${name}, published are ${published}`);
}

export function corpusQuestions(figures: KnownFigures, spans: LogSpans): CorpusQuestion[] {
  const { topAddress, topCategory } = figures;
  return [
    {
      query: 'How many failed root logins does OpenSSH show, and from which addresses most?',
      window: spans.openSsh,
      faults: (run) => [
        ...reportFaults(run, [
          String(figures.failedRootLogins),
          topAddress.address,
          String(topAddress.count),
        ]),
        ...matchedFaults(run, figures.failedRootLogins),
      ],
    },
    { query: `What should I do about ${RUNBOOK}?`, window: null, faults: runbookFaults },
    {
      query: 'Which film categories earned most?',
      window: null,
      faults: (run) => reportFaults(run, [topCategory.name, topCategory.sales]),
    },
    {
      query: 'How many errors does the Apache log show?',
      window: spans.apache,
      faults: (run) => reportFaults(run, [String(figures.apacheErrors)]),
    },
    {
      query: 'How many ERROR entries does Zookeeper show?',
      window: spans.zookeeper,
      faults: (run) => reportFaults(run, [String(figures.zookeeperErrors)]),
    },
    {
      query: 'Why do the Kafka consumers of the billing team lag?',
      window: null,
      faults: unanswerableFaults,
    },
  ];
}

/** Each value must stand in the report's own words, as a whole: 37 is not in 370. */
function reportFaults({ releaseOutcome, report }: RunView, values: readonly string[]): string[] {
  if (releaseOutcome !== 'SUCCESS' || report === undefined)
    return [`it ended in ${releaseOutcome ?? 'nothing'} without a report`];
  const text = [report.conclusion.text, ...report.analyses.map((analysis) => analysis.text)].join('\n');
  return values.filter((value) => !holds(text, value)).map((value) => `its report does not say ${value}`);
}

/** Digit groups in thousands are the same number. */
export function holds(text: string, value: string): boolean {
  const escaped = value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const whole = new RegExp(`(?<![\\p{L}\\p{N}])(?<!\\d[.,])${escaped}(?![\\p{L}\\p{N}])(?![.,]\\d)`, 'u');
  return whole.test(text) || whole.test(text.replace(/(\d),(?=\d{3}(?!\d))/g, '$1'));
}

function matchedFaults({ report }: RunView, matched: number): string[] {
  const counts = (report?.analyses ?? [])
    .flatMap(({ evidence }) => evidence)
    .filter(({ tool, source }) => tool === 'log_search' && source === 'result')
    .map(({ excerpt }) => /"matched":(\d+)/.exec(excerpt)?.[1]);
  return counts.includes(String(matched)) ? [] : [`no evidence of it counts ${matched} entries`];
}

function runbookFaults({ releaseOutcome, knowledge }: RunView): string[] {
  if (releaseOutcome !== 'SUCCESS' || knowledge === undefined)
    return [`it ended in ${releaseOutcome ?? 'nothing'} without an answer`];
  const [first] = knowledge.references;
  return first?.document_id.includes(RUNBOOK) === true
    ? []
    : [`its first reference is not the runbook ${RUNBOOK}`];
}

function unanswerableFaults({ releaseOutcome }: RunView): string[] {
  return releaseOutcome === 'FALLBACK'
    ? []
    : [`nothing in the corpus answers it, and it ended in ${releaseOutcome ?? 'nothing'}`];
}
