import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { createConnection } from 'mysql2/promise';
import { importDirectory } from '../../src/shared/adapters/knowledge/import-directory.js';
import { createKnowledgeIndex } from '../../src/shared/adapters/knowledge/knowledge-index.js';
import { createRagLookupTool } from '../../src/shared/adapters/knowledge/rag-lookup-tool.js';
import { openDatabase, type Database } from '../../src/shared/adapters/mysql/database.js';
import { createKnowledgeStore } from '../../src/shared/adapters/mysql/knowledge-store.js';
import { translate } from '../../src/shared/adapters/mysql/mysql-errors.js';
import { migrate } from '../../src/shared/adapters/mysql/migrate.js';
import { createRedactor } from '../../src/shared/adapters/redaction/redactor.js';
import {
  RagLookupProjection,
  RagLookupScope,
  type RagLookupArgs,
} from '../../src/shared/domain/contracts/tools/rag-lookup.js';
import type { KnowledgeStore } from '../../src/shared/ports/knowledge-store.js';
import { Knowledge1764500000002 } from '../../migrations/1764500000002-knowledge.js';
import { freshDatabase } from '../support/shared-servers.js';
import { RUNBOOKS, runbook } from './runbooks.js';

class TestClock {
  #at = Date.parse('2026-05-06T07:08:09.000Z');
  now(): Date {
    return new Date(this.#at);
  }
  pass(ms: number): void {
    this.#at += ms;
  }
}

describe('KQ-2 the knowledge base', function () {
  this.timeout(60_000);
  let database: Database;
  let store: KnowledgeStore;
  let clock: TestClock;
  before(async () => {
    database = await openDatabase({ url: await freshDatabase(), poolSize: 4 });
    await migrate(database);
    store = createKnowledgeStore(database);
  });
  beforeEach(async () => {
    clock = new TestClock();
    await database.query('DELETE FROM knowledge_document');
    await database.query('DELETE FROM knowledge_chunk');
  });
  after(() => database.close());

  function lookup(options: { maxDocuments?: number } = {}) {
    const index = createKnowledgeIndex({ store, clock, ...options });
    return createRagLookupTool({ index, redact: createRedactor(), clock });
  }

  async function run(
    args: RagLookupArgs,
    tool = lookup(),
    settings: { signal?: AbortSignal; maxResultBytes?: number } = {},
  ) {
    const { signal = new AbortController().signal, maxResultBytes = 16_384 } = settings;
    const result = await tool.run(args, { toolCallId: 'call_1', signal, maxResultBytes });
    if (!result.ok) {
      if (result.scope) RagLookupScope.parse(result.scope);
      return result;
    }
    expect(Buffer.byteLength(JSON.stringify(result.projection), 'utf8')).to.be.at.most(maxResultBytes);
    return { ok: true as const, projection: RagLookupProjection.parse(result.projection) };
  }

  async function documents(args: RagLookupArgs, tool = lookup()) {
    const result = await run(args, tool);
    if (!result.ok) expect.fail(`${result.code}: ${result.message}`);
    return result.projection;
  }

  const putAll = async () => {
    for (const source of Object.keys(RUNBOOKS)) await store.put(runbook(source));
  };
  const chunkCount = async () => {
    const [row] = await database.query<{ n: string }[]>('SELECT COUNT(*) AS n FROM knowledge_chunk');
    return Number(row?.n);
  };

  it('its migration may run again', async () => {
    const runner = database.dataSource.createQueryRunner();
    await new Knowledge1764500000002().up(runner);
    await runner.release();
    expect(await store.list({ limit: 10 })).to.deep.equal([]);
  });

  it('gives back what was put, whole', async () => {
    const text = `# Emoji 🙂\n\n${'Wörter und 字 '.repeat(400)}\n\n## End\nx\n`;
    const document = runbook('a/b.md', text);
    await store.put(document);
    const { chunks, ...whole } = document;
    expect(await store.get('a/b')).to.deep.equal(whole);
    const [loaded] = await store.load(['a/b', 'missing']);
    expect(loaded?.chunks).to.deep.equal(chunks);
    expect(loaded?.updatedAt).to.deep.equal(document.updatedAt);
    expect(await store.load([])).to.deep.equal([]);
    expect(await store.get('missing')).to.equal(null);
  });

  it('replaces a document, keeps its creation time, and leaves no old chunk', async () => {
    const first = runbook('a.md', `# A\n\n${'long text '.repeat(500)}`);
    await store.put(first);
    const before = await store.version();
    await store.put({ ...runbook('a.md', '# A\n\nshort'), createdAt: new Date(0) });
    expect(await store.version()).to.not.equal(before);
    const after = await store.get('a');
    expect(after).to.include({ content: '# A\n\nshort' });
    expect(after?.createdAt).to.deep.equal(first.createdAt);
    expect(await chunkCount()).to.equal(1);
  });

  it('shows one whole document when several are put at once', async () => {
    const texts = ['one', 'two', 'three', 'four'].map((word) => `# ${word}\n\n${`${word} `.repeat(800)}`);
    for (let round = 0; round < 5; round++) {
      await Promise.all(texts.map((text) => store.put(runbook('race.md', text))));
      const [document, loaded] = [await store.get('race'), (await store.load(['race']))[0]];
      expect(texts).to.include(document?.content);
      expect(loaded?.chunks.map((chunk) => chunk.text).join('')).to.equal(document?.content);
    }
  });

  it('deletes a document with its chunks, once', async () => {
    await putAll();
    const before = await store.version();
    expect(await store.delete('db/ReplicaLagging')).to.equal(true);
    expect(await store.delete('db/ReplicaLagging')).to.equal(false);
    expect(await store.version()).to.not.equal(before);
    expect(await store.get('db/ReplicaLagging')).to.equal(null);
    for (const { documentId } of await store.list({ limit: 100 })) await store.delete(documentId);
    expect(await chunkCount()).to.equal(0);
  });

  it('lists in pages', async () => {
    await putAll();
    const first = await store.list({ limit: 3 });
    const rest = await store.list({ limit: 100, after: first.at(-1)?.documentId ?? '' });
    const ids = [...first, ...rest].map((head) => head.documentId);
    expect(ids).to.have.length(Object.keys(RUNBOOKS).length);
    expect(ids).to.deep.equal([...ids].sort());
  });

  it('imports a folder, and again only what changed', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'sworn-knowledge-'));
    try {
      const mtime = new Date('2026-02-03T04:05:06.000Z');
      for (const [path, text] of [
        ...Object.entries(RUNBOOKS),
        ['empty.md', ' \n'],
        ['.hidden.md', 'x'],
        ['a.png', 'x'],
      ] as const) {
        mkdirSync(dirname(join(dir, path)), { recursive: true });
        writeFileSync(join(dir, path), text);
        utimesSync(join(dir, path), mtime, mtime);
      }
      writeFileSync(join(dir, 'latin.md'), Buffer.from([0x23, 0x20, 0xe9]));
      const first = await importDirectory(store, dir, clock);
      expect(first.stored).to.have.length(Object.keys(RUNBOOKS).length);
      expect(first.skipped).to.deep.equal(['empty.md', 'latin.md']);
      const document = await store.get('db/DatabaseLockWaits');
      expect(document).to.include({ title: 'Database Lock Waits', source: 'db/DatabaseLockWaits.md' });
      expect(document?.content).to.match(/^# DatabaseLockWaits/);
      expect(document?.updatedAt).to.deep.equal(mtime);
      const version = await store.version();
      expect((await importDirectory(store, dir, clock)).stored).to.deep.equal([]);
      expect(await store.version()).to.equal(version);
      writeFileSync(join(dir, 'db/ReplicaLagging.md'), '# ReplicaLagging\n\nNew words.\n');
      expect((await importDirectory(store, dir, clock)).stored).to.deep.equal(['db/ReplicaLagging']);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });

  it('answers with exact excerpts of documents, best first (EG-10)', async () => {
    await putAll();
    const answer = await documents({ query: 'What should I do about DatabaseLockWaits?' });
    expect(answer).to.include({ evidence_status: 'EVIDENCE_FOUND', truncated: false });
    expect(answer.scope).to.deep.equal({
      query: 'What should I do about DatabaseLockWaits?',
      top_k: 5,
      assumptions: [],
    });
    const [first] = answer.documents;
    expect(first).to.include({
      document_id: 'db/DatabaseLockWaits',
      title: 'Database Lock Waits',
      source: 'db/DatabaseLockWaits.md',
      updated_at: '2026-01-02T03:04:05.678Z',
    });
    expect(first?.excerpt).to.contain('Ask the owner to commit it');
    expect(RUNBOOKS['db/DatabaseLockWaits.md']).to.contain(first?.excerpt);
  });

  it('answers NO_EVIDENCE below the floor and when it is empty (IV-5)', async () => {
    expect(await documents({ query: 'disk almost full' })).to.include({ evidence_status: 'NO_EVIDENCE' });
    await putAll();
    const none = await documents({ query: 'How do I bake sourdough bread?' });
    expect(none).to.include({ evidence_status: 'NO_EVIDENCE', truncated: false });
    expect(none.documents).to.deep.equal([]);
  });

  it('clamps top_k and says so', async () => {
    for (let i = 0; i < 12; i++)
      await store.put(runbook(`copy${String(i)}.md`, '# DiskFull\n\nThe disk is full.'));
    await putAll();
    const many = await documents({ query: 'DiskFull', top_k: 99 });
    expect(many.documents).to.have.length(10);
    expect(many.scope).to.deep.include({ top_k: 10, assumptions: ['top_k 99 was clamped to 10'] });
    const one = await documents({ query: 'DiskFull', top_k: -1 });
    expect(one.documents).to.have.length(1);
    expect(one.scope.assumptions).to.deep.equal(['top_k -1 was clamped to 1']);
  });

  it('fits the bytes it may take, shortening or leaving out the last (IV-3)', async () => {
    for (let i = 0; i < 8; i++)
      await store.put(
        runbook(
          `long${String(i)}.md`,
          `# DiskFull ${String(i)}\n\n${'Clean the disk "now".\n\n'.repeat(200)}`,
        ),
      );
    await putAll();
    const result = await run({ query: 'DiskFull', top_k: 8 }, lookup(), { maxResultBytes: 4096 });
    if (!result.ok) expect.fail(result.message);
    expect(result.projection.truncated).to.equal(true);
    expect(result.projection.documents.length).to.be.within(2, 7);
    for (const { excerpt } of result.projection.documents)
      expect(Buffer.byteLength(excerpt, 'utf8')).to.be.within(1, 1536);
    expect(await run({ query: 'DiskFull' }, lookup(), { maxResultBytes: 300 })).to.include({
      code: 'TOO_LARGE',
    });
  });

  it('hides secrets that stand in documents and questions (SE-2)', async () => {
    await store.put(runbook('secret.md', '# VaultLogin\n\nLog in with password=hunter2 at the vault.'));
    const { documents: found, scope } = await documents({ query: 'VaultLogin password=hunter2' });
    expect(found[0]?.excerpt).to.contain('password=[redacted:password]');
    expect(JSON.stringify([found, scope])).to.not.contain('hunter2');
  });

  it('sees a change within a second of the last look, and never what was deleted before', async () => {
    await putAll();
    const tool = lookup();
    const ask = async () =>
      (await documents({ query: 'the tape robot is jammed' }, tool)).documents.map((d) => d.document_id);
    expect(await ask()).to.deep.equal([]);
    await store.put(runbook('tape.md', '# TapeRobotJammed\n\nOpen the door.'));
    clock.pass(1000);
    expect(await ask()).to.deep.equal(['tape']);
    await store.put(runbook('tape.md', '# Other\n\nNothing of it.'));
    clock.pass(1000);
    expect(await ask()).to.deep.equal([]);
    await store.put(runbook('tape.md', '# TapeRobotJammed\n\nOpen the door.'));
    clock.pass(1000);
    expect(await ask()).to.deep.equal(['tape']);
    await store.delete('tape');
    clock.pass(1000);
    expect(await ask()).to.deep.equal([]);
    clock.pass(-3_600_000);
    await store.put(runbook('tape.md', '# TapeRobotJammed\n\nOpen the door.'));
    expect(await ask(), 'after the clock went back').to.deep.equal(['tape']);
  });

  it('says when it holds more than is searched', async () => {
    await putAll();
    const tool = lookup({ maxDocuments: 3 });
    expect(await run({ query: 'zebra crossing' }, tool)).to.include({ ok: false, code: 'FAILED' });
    const found = await documents({ query: 'DatabaseLockWaits' }, tool);
    expect(found.scope.assumptions.join()).to.contain('only the first 3 documents');
  });

  it('is UNAVAILABLE when its store is away, and stops waiting when it is cancelled', async () => {
    const away = {
      query: async (): Promise<never> => {
        const closedPort = createConnection({ uri: 'mysql://nobody@127.0.0.1:1/none' });
        throw await closedPort.catch((error: unknown) => translate(error));
      },
    };
    const index = createKnowledgeIndex({ store: createKnowledgeStore(away), clock });
    const tool = createRagLookupTool({ index, redact: (text) => text, clock });
    expect(await run({ query: 'disk' }, tool)).to.include({ code: 'UNAVAILABLE' });
    const signal = AbortSignal.abort();
    expect(await run({ query: 'disk' }, lookup(), { signal })).to.include({ code: 'CANCELLED' });
    const late = AbortSignal.abort(new DOMException('late', 'TimeoutError'));
    expect(await run({ query: 'disk' }, lookup(), { signal: late })).to.include({ code: 'TIMEOUT' });
  });
});
