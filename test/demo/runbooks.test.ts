import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { importRunbooks } from '../../demo/import-runbooks.js';
import { runbooksDir } from '../../demo/runbooks-dir.js';
import { createKnowledgeIndex } from '../../src/shared/adapters/knowledge/knowledge-index.js';
import { createRagLookupTool } from '../../src/shared/adapters/knowledge/rag-lookup-tool.js';
import { openDatabase, type Database } from '../../src/shared/adapters/mysql/database.js';
import { createKnowledgeStore } from '../../src/shared/adapters/mysql/knowledge-store.js';
import { migrate } from '../../src/shared/adapters/mysql/migrate.js';
import { startThrowAwayServers, type ThrowAwayServers } from '../support/servers.js';

const clock = { now: () => new Date('2026-03-04T12:00:00.000Z') };

describe('KQ-2 the runbooks of the demo', function () {
  this.timeout(60_000);
  let servers: ThrowAwayServers;
  let database: Database;

  before(async () => {
    servers = await startThrowAwayServers();
    database = await openDatabase({ url: servers.databaseUrl, poolSize: 2 });
    await migrate(database);
    await importRunbooks(servers.databaseUrl, runbooksDir());
  });
  after(async () => {
    await database.close();
    await servers.stop();
  });

  const documents = async (query: string): Promise<string[]> => {
    const index = createKnowledgeIndex({ store: createKnowledgeStore(database), clock });
    const tool = createRagLookupTool({ index, redact: (text) => text, clock });
    const result = await tool.run(
      { query },
      { toolCallId: 'call_1', signal: new AbortController().signal, maxResultBytes: 16_384 },
    );
    await tool.close();
    if (!result.ok || result.projection.tool !== 'rag_lookup') throw new Error('the lookup failed');
    return result.projection.documents.map(({ source }) => source);
  };

  it('are eight, each with a title and steps to take', async () => {
    const names = await readdir(runbooksDir());
    expect(names).to.have.length(8);
    for (const name of names) {
      const text = await readFile(join(runbooksDir(), name), 'utf8');
      expect(text, name).to.match(/^# \S/);
      expect(text, name).to.match(/^## (Mitigation|Steps)$/m);
    }
  });

  const questions: [string, string][] = [
    ['How do I roll back a migration safely?', 'roll-back-a-migration.md'],
    ['Why is checkout slow?', 'checkout-latency.md'],
    ['lock wait timeout exceeded', 'database-lock-waits.md'],
    ['a missing index makes queries slow', 'slow-queries.md'],
    ['the acquirer does not answer authorisations', 'payment-provider-timeouts.md'],
    ['gateway answers 504', 'gateway-5xx.md'],
    ['no space left on the disk', 'disk-full.md'],
    ['the TLS certificate expires', 'certificate-expiry.md'],
  ];
  for (const [question, source] of questions) {
    it(`answer “${question}” from ${source}`, async () => {
      expect((await documents(question))[0]).to.equal(source);
    });
  }

  it('are found once however often they are imported', async () => {
    await importRunbooks(servers.databaseUrl, runbooksDir());
    const found = await documents('How do I roll back a migration safely?');
    expect(found.filter((source) => source === 'roll-back-a-migration.md')).to.have.length(1);
  });
});
