import { expect } from 'chai';
import { StatementChecker } from '../../src/shared/adapters/target-sql/statement-checker.js';

const POLICY = { database: 'shop', schemas: ['shop'] };
const never = new AbortController().signal;
const nested = (depth: number): string => `SELECT ${'CAST('.repeat(depth)}1${' AS CHAR)'.repeat(depth)}`;

describe('BU-1 checking a statement has its own clock', function () {
  this.timeout(30_000);
  let checker: StatementChecker;
  beforeEach(() => {
    checker = new StatementChecker();
  });
  afterEach(() => checker.close());

  it('a statement made to be dear is refused, while the process goes on and the next is checked', async () => {
    let turns = 0;
    const ticking = setInterval(() => (turns += 1), 10);
    const [dear, next] = await Promise.all([
      checker.check(nested(30), POLICY, never),
      checker.check('SELECT id FROM orders', POLICY, never),
    ]);
    clearInterval(ticking);
    expect(dear).to.deep.include({ ok: false, code: 'INVALID_ARGUMENTS' });
    expect(next).to.deep.equal({ ok: true, sql: 'SELECT id FROM orders' });
    expect(turns).to.be.greaterThan(20);
  });

  it('SE-1 refuses what the rules refuse', async () => {
    expect(await checker.check('DELETE FROM orders', POLICY, never)).to.deep.include({
      ok: false,
      code: 'DENIED',
    });
  });

  it('CA-1 a cancelled call is not read', async () => {
    expect(await checker.check('SELECT 1', POLICY, AbortSignal.abort())).to.have.property('ok', false);
  });
});
