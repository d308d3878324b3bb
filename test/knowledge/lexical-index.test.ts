import { expect } from 'chai';
import { LexicalIndex } from '../../src/shared/adapters/knowledge/lexical-index.js';
import { indexTerms, stem } from '../../src/shared/adapters/knowledge/terms.js';
import { RUNBOOKS, stored } from './runbooks.js';

function library(): LexicalIndex {
  const index = new LexicalIndex();
  for (const source of Object.keys(RUNBOOKS)) index.put(stored(source));
  return index;
}

const found = (index: LexicalIndex, query: string) => index.search(query).map((hit) => hit.document.source);

describe('KQ-2 rag_lookup: terms', () => {
  it('are lower case, stemmed, without stop words, with the parts of names', () => {
    expect(indexTerms('What should I do about KubePodCrashLooping?')).to.deep.equal([
      'kubepodcrashlooping',
      'kube',
      'pod',
      'crash',
      'loop',
    ]);
    expect(indexTerms('rows_examined HTTPServer v2')).to.include.members([
      'rowsexamined',
      stem('examined'),
      'http',
      'server',
    ]);
    expect(indexTerms('缓存雪崩 x')).to.deep.equal(['缓存', '存雪', '雪崩', 'x']);
    expect(indexTerms("the server's own")).to.deep.equal(['server']);
  });

  it('bring the forms of a word together and leave others apart', () => {
    for (const [a, b] of [
      ['crashes', 'crash'],
      ['crashed', 'crashing'],
      ['stopped', 'stops'],
      ['queries', 'query'],
      ['expires', 'expiring'],
      ['filling', 'fills'],
      ['certificates', 'certificate'],
      ['locked', 'locks'],
      ['lagging', 'lag'],
    ] as const)
      expect(stem(a), `${a} ${b}`).to.equal(stem(b));
    for (const [a, b] of [
      ['status', 'state'],
      ['class', 'clash'],
      ['sing', 'sed'],
      ['redis', 'red'],
      ['process', 'procession'],
    ] as const)
      expect(stem(a), `${a} ${b}`).to.not.equal(stem(b));
  });
});

describe('KQ-2 rag_lookup: what answers comes first', () => {
  const index = library();
  for (const [query, source] of [
    ['What should I do about DatabaseLockWaits?', 'db/DatabaseLockWaits.md'],
    ['database lock waits', 'db/DatabaseLockWaits.md'],
    ['a long transaction holds row locks and checkout is waiting', 'db/DatabaseLockWaits.md'],
    ['statements waiting for locks', 'db/DatabaseLockWaits.md'],
    ['DatabaseLockWait', 'db/DatabaseLockWaits.md'],
    ['How do we handle a lagging replica?', 'db/ReplicaLagging.md'],
    ['the replica is behind the primary', 'db/ReplicaLagging.md'],
    ['certificate expires soon', 'web/CertificateExpiringSoon.md'],
    ['renew the TLS certificate of the load balancer', 'web/CertificateExpiringSoon.md'],
    ['certifcate expiring', 'web/CertificateExpiringSoon.md'],
    ['disk full on a host', 'host/DiskAlmostFull.md'],
    ['the file system is almost full', 'host/DiskAlmostFull.md'],
    ['queue backlog: messages are waiting for consumers', 'queue/ConsumerBacklog.md'],
    ['payment provider returns errors', 'shop/PaymentProviderErrors.md'],
    ['payments.provider', 'shop/PaymentProviderErrors.md'],
    ['orders stay unpaid', 'shop/PaymentProviderErrors.md'],
    ['缓存过期怎么办', 'zh/缓存雪崩.md'],
    ['who answers at night when I am on call', 'notes/escalation.txt'],
  ] as const)
    it(query, () => {
      expect(found(index, query)[0]).to.equal(source);
    });
});

describe('IV-5 rag_lookup: nothing below the relevance floor', () => {
  const index = library();
  for (const query of [
    'How do I bake sourdough bread?',
    'What is the capital of France?',
    'Which film categories earned most?',
    'How do I reset my Gmail password?',
    'kafka partition rebalancing storm',
    'Elasticsearch shards are unassigned',
    'What should I do about KubePodCrashLooping?',
    'JVM garbage collection takes seconds',
    'vacation approval process',
    'What is the refund policy for gift cards?',
    'DNS zone transfers are refused by the secondary',
    'write a poem about the sea',
    'Where can I buy a replica of a Swiss watch?',
    'what should I do?',
    '???',
    '',
    '天气怎么样',
    '数据库备份怎么恢复',
  ])
    it(JSON.stringify(query), () => {
      expect(found(index, query)).to.deep.equal([]);
    });
});

describe('KQ-2 rag_lookup: an index that changes', () => {
  it('finds nothing when it is empty, and nothing that was removed', () => {
    const index = new LexicalIndex();
    expect(found(index, 'disk')).to.deep.equal([]);
    const full = library();
    full.remove('host/DiskAlmostFull');
    full.remove('host/DiskAlmostFull');
    expect(found(full, 'disk almost full')).to.deep.equal([]);
    expect(full.size).to.equal(Object.keys(RUNBOOKS).length - 1);
  });

  it('replaces a document as if the old one had never been', () => {
    const index = library();
    const disk = stored('host/DiskAlmostFull.md', '2');
    index.put({
      ...disk,
      title: 'Tape robot',
      chunks: [{ headings: [], text: 'The tape robot is jammed.' }],
    });
    expect(index.revision(disk.documentId)).to.equal('2');
    expect(found(index, 'disk almost full')).to.deep.equal([]);
    expect(found(index, 'tape robot')).to.deep.equal([disk.source]);
    index.put(disk);
    const fresh = library();
    for (const query of ['disk almost full', 'replica', 'locks', 'volume fills'])
      expect(
        index.search(query).map((hit) => hit.score),
        query,
      ).to.deep.equal(fresh.search(query).map((hit) => hit.score));
  });

  it('orders equal documents by ID and bounds a hostile query', () => {
    const index = new LexicalIndex();
    for (const id of ['b', 'a', 'c']) index.put({ ...stored('host/DiskAlmostFull.md'), documentId: id });
    expect(index.search('disk almost full').map((hit) => hit.document.documentId)).to.deep.equal([
      'a',
      'b',
      'c',
    ]);
    expect(index.search(Array.from({ length: 5000 }, (_, i) => `w${String(i)}x`).join(' '))).to.deep.equal(
      [],
    );
  });
});
