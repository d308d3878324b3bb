/** The log: one JSON line per event, errors by name, code and place, never by their words. */
import { expect } from 'chai';
import fc from 'fast-check';
import { openDatabase } from '../../src/shared/adapters/mysql/database.js';
import { freshDatabase } from '../support/shared-servers.js';
import { captureLog } from '../stores/support/captured-log.js';
import { failureOf } from '../stores/support/failure.js';

describe('SE-1 the log', function () {
  this.timeout(20_000);

  it('SE-1 a driver’s fault is logged without its message, its statement and its values', async () => {
    const database = await openDatabase({ url: await freshDatabase(), poolSize: 2 });
    const captured = captureLog();
    await database.query('CREATE TABLE words (word varchar(40) PRIMARY KEY)');
    await database.query('INSERT INTO words VALUES (?)', ['SECRET-WORDS']);
    const duplicate = await failureOf(database.query('INSERT INTO words VALUES (?)', ['SECRET-WORDS']));
    expect(String(duplicate)).to.include('SECRET-WORDS');
    captured.log.error({ err: duplicate }, 'a write failed');
    captured.log.child({ runId: 'run-1' }).warn({ err: new Error('x', { cause: duplicate }) }, 'again');
    await database.close();
    expect(captured.text()).not.to.match(/SECRET-WORDS|INSERT/);
    expect(captured.lines()[0]?.['err']).to.deep.include({
      name: 'QueryFailedError',
      code: 'ER_DUP_ENTRY',
      errno: 1062,
    });
    expect(captured.lines()[1]).to.deep.include({ runId: 'run-1', msg: 'again' });
    expect(captured.lines()[1]?.['err']).to.have.nested.property('cause.code', 'ER_DUP_ENTRY');
  });

  it('SE-1 no text of a message reaches the log, whatever it looks like', () => {
    const lines = fc.array(
      fc.constantFrom('MODEL', '    at MODEL (file.ts:1:1)', 'at MODEL', '', '\r\n', 'Error: MODEL'),
    );
    fc.assert(
      fc.property(lines, fc.boolean(), (parts, renamed) => {
        const captured = captureLog();
        const error = new Error(`MODEL\n${parts.join('\n')}`);
        if (renamed) error.message = 'MODEL, told anew';
        captured.log.error({ err: error }, 'it failed');
        expect(captured.text()).not.to.include('MODEL');
        expect(captured.lines()).to.have.length(1);
      }),
    );
  });

  it('SE-1 the place of a fault is told', () => {
    const captured = captureLog();
    captured.log.error({ err: new TypeError('\n    at MODEL') }, 'it failed');
    expect(captured.lines()[0]?.['err'])
      .to.have.property('at')
      .that.matches(/logging\.test/);
  });

  it('SE-1 a code that is no identifier, and what is no error, are left out', () => {
    const captured = captureLog();
    captured.log.error(
      { err: Object.assign(new Error('x'), { code: 'MODEL words said by an endpoint' }) },
      'a',
    );
    captured.log.error({ err: 'MODEL words' }, 'b');
    captured.log.error({ err: { message: 'MODEL words' } }, 'c');
    expect(captured.text()).not.to.include('MODEL');
    expect(captured.lines().map(({ err }) => (err as { name: string }).name)).to.deep.equal([
      'Error',
      'string',
      'object',
    ]);
  });

  it('SE-1 causes in a circle end', () => {
    const captured = captureLog();
    const one = new Error('one');
    one.cause = new Error('two', { cause: one });
    captured.log.error({ err: one }, 'a circle');
    expect(captured.lines()).to.have.length(1);
    expect(captured.text().length).to.be.lessThan(4000);
  });

  it('SE-1 each line names its process, and lines below the level are not written', () => {
    const captured = captureLog('info');
    captured.log.debug({ n: 1 }, 'unseen');
    captured.log.info({ n: 2 }, 'seen');
    expect(captured.lines()).to.have.length(1);
    expect(captured.lines()[0]).to.include({ process: 'test', pid: process.pid, n: 2, msg: 'seen' });
  });
});
