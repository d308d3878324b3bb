/** What goes in comes out: characters, instants, large numbers. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import fc from 'fast-check';
import { openTestStores, type TestStores } from './support/open-stores.js';
import { AT, ending, invocation, later, newRun, ready, round, step } from './support/sample-rows.js';

const ODD = 'наблюдение 🧯🚒 日本語 \u0000 "\\\'% \u{1F468}\u200D\u{1F692} ﷽';

describe('SR-1 values in MySQL', function () {
  this.timeout(30_000);
  let stores: TestStores;
  before(async () => {
    stores = await openTestStores();
  });
  after(() => stores.close());

  it('SR-1 every text column is utf8mb4, or ascii where it is an identifier', async () => {
    const rows = await stores.database.query<{ name: string; charset: string }[]>(
      `SELECT CONCAT(table_name, '.', column_name) AS name, character_set_name AS charset
       FROM information_schema.columns
       WHERE table_schema = DATABASE() AND character_set_name IS NOT NULL AND table_name <> 'schema_migration'`,
    );
    expect(rows).to.have.length.greaterThan(30);
    const ascii = rows.filter(({ charset }) => charset !== 'utf8mb4');
    expect(new Set(ascii.map(({ charset }) => charset))).to.deep.equal(new Set(['ascii']));
    expect(
      ascii
        .map(({ name }) => name.split('.')[1])
        .filter((name) => !/(_id|_hash|prefix|revision)$/.test(name ?? '')),
    ).to.deep.equal([]);
  });

  it('SR-1 IV-4 query, Draft and evidence come back character for character', async () => {
    const fence = await stores.begin({ query: ODD });
    await stores.store.commitRound(
      fence,
      round([invocation(1, { arguments: ODD })], { step: step({ output: ODD }) }),
    );
    const claimed = await stores.store.claimInvocation(fence.runId, 1, AT);
    expect(claimed.ok).to.equal(true);
    await stores.store.endInvocation(
      fence.runId,
      1,
      1,
      ready({ agentResult: JSON.stringify({ text: ODD }), scope: JSON.stringify({ query: ODD }) }),
    );
    const { steps, invocations } = await stores.reader.details(fence.runId);
    expect((await stores.reader.run(fence.runId))?.view.query).to.equal(ODD);
    expect(steps[0]?.output).to.equal(ODD);
    expect(invocations[0]?.projection).to.deep.equal({ text: ODD });
    expect(invocations[0]?.scope).to.deep.equal({ query: ODD });
    expect((await stores.store.invocations(fence.runId))[0]?.arguments).to.equal(ODD);
  });

  it('SR-10 a published result with any characters comes back whole', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 60 }), async (words) => {
        const fence = await stores.begin();
        await stores.store.finalize(
          fence,
          ending({
            publishedResult: {
              user_query: words,
              published_conclusion: words,
              scope: [{ note: words }],
              limitations: [words],
              source_documents: [],
            },
          }),
        );
        const [row] = await stores.database.query<{ published_result: string }[]>(
          'SELECT published_result FROM diagnosis_run WHERE run_id = ?',
          [fence.runId],
        );
        expect(JSON.parse(row?.published_result ?? '')).to.deep.include({
          user_query: words,
          limitations: [words],
        });
      }),
      { numRuns: 20 },
    );
  });

  it('SR-1 instants keep their millisecond, in UTC, whatever the zone of the process', async () => {
    for (const zone of ['Asia/Shanghai', 'America/St_Johns']) {
      const seen = await inZone(zone, stores.url);
      expect(seen.offset, zone).not.to.equal(0);
      expect(seen.createdAt).to.equal(AT.toISOString());
      expect(seen.window).to.deep.equal(newRun().window);
      const [row] = await stores.database.query<{ text: string }[]>(
        'SELECT CAST(created_at AS CHAR) AS text FROM diagnosis_run WHERE run_id = ?',
        [seen.runId],
      );
      expect(row?.text).to.equal('2026-11-30 10:00:00.123');
      expect((await stores.reader.run(seen.runId))?.view.createdAt).to.equal(AT.toISOString());
    }
  });

  it('SR-1 the server’s own clock is read as UTC too', async () => {
    await stores.tokens.create({
      principal: 'clock',
      role: 'viewer',
      hash: 'c'.repeat(64),
      prefix: 'clock',
      expiresAt: null,
    });
    const token = (await stores.tokens.list()).find(({ prefix }) => prefix === 'clock');
    expect(Math.abs(Date.parse(token?.createdAt ?? '') - Date.now())).to.be.lessThan(60_000);
    const [zone] = await stores.database.query<{ zone: string }[]>('SELECT @@session.time_zone AS zone');
    expect(zone?.zone).to.equal('+00:00');
  });

  it('BU-1 token counts go beyond 32 bits without loss', async () => {
    const fence = await stores.begin();
    const huge = 3_000_000_000_000_007;
    await stores.store.commitRound(fence, round([], { tokens: huge }));
    await stores.store.commitRound(fence, round([], { step: step({ round: 2 }), tokens: 2 }));
    expect((await stores.store.load(fence.runId))?.tokens).to.equal(huge + 2);
  });

  it('IV-4 a duration is the milliseconds between claim and end', async () => {
    const fence = await stores.begin();
    await stores.store.commitRound(fence, round([invocation(1)]));
    await stores.store.claimInvocation(fence.runId, 1, AT);
    await stores.store.endInvocation(fence.runId, 1, 1, ready({ finishedAt: later(1234) }));
    const [row] = await stores.database.query<{ duration_ms: number }[]>(
      'SELECT duration_ms FROM tool_invocation WHERE run_id = ?',
      [fence.runId],
    );
    expect(row?.duration_ms).to.equal(1234);
  });
});

interface Seen {
  runId: string;
  offset: number;
  createdAt: string;
  window: { from: string; to: string };
}

async function inZone(zone: string, url: string): Promise<Seen> {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('./support/zone-child.js', import.meta.url))],
    {
      env: { PATH: process.env['PATH'] ?? '', TZ: zone, DATABASE_URL: url },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString('utf8');
  });
  await new Promise((resolve) => child.on('close', resolve));
  return JSON.parse(text) as Seen;
}
