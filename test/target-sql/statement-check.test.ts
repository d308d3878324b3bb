import { expect } from 'chai';
import fc from 'fast-check';
import { readTokens } from '../../src/shared/adapters/target-sql/sql-lexer.js';
import { writeTokens } from '../../src/shared/adapters/target-sql/sql-text.js';
import { checkStatement } from '../../src/shared/adapters/target-sql/statement-check.js';

const POLICY = { database: 'shop', schemas: ['shop', 'audit'] };

function passes(sql: string): string {
  const checked = checkStatement(sql, POLICY);
  if (!checked.ok) expect.fail(`${checked.code}: ${checked.message} — ${sql}`);
  return checked.sql;
}

function refuses(code: 'DENIED' | 'INVALID_ARGUMENTS', sql: string): string {
  const checked = checkStatement(sql, POLICY);
  if (checked.ok) expect.fail(`passed as ${checked.sql}`);
  expect(checked.code, `${sql}: ${checked.message}`).to.equal(code);
  expect(checked.message).to.match(/\S/);
  return checked.message;
}

describe('EG-10 mysql_query: statements that are read', () => {
  for (const sql of [
    'SELECT 1',
    'select id, created_at, updated_by, deleted, `drop`, call_count, lock_time FROM orders WHERE created_at > NOW() - INTERVAL 1 HOUR',
    'SELECT o.id, COUNT(*) n FROM orders o JOIN audit.log l ON l.order_id = o.id GROUP BY o.id HAVING n > 1 ORDER BY n DESC LIMIT 5',
    'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n',
    'SELECT a FROM t UNION ALL (SELECT b FROM u LIMIT 1) ORDER BY 1',
    'SELECT * FROM (SELECT status, SUM(DISTINCT amount) s FROM payments GROUP BY status) d WHERE d.s > 1',
    "SELECT DATE_FORMAT(created_at, '%H:%i') m, AVG(ms) OVER (PARTITION BY m ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t",
    "SELECT GROUP_CONCAT(DISTINCT name ORDER BY name SEPARATOR ', ') FROM t",
    'SELECT a <=> b, STD(a), .5, UTC_TIMESTAMP, COUNT(DISTINCT a, b) FROM t',
    'SELECT rank, t.order, RANK() OVER (ORDER BY a) FROM t NATURAL LEFT JOIN u',
    'SELECT * FROM t FORCE INDEX (ix_a) WHERE a IN (SELECT id FROM audit.u)',
    "SELECT table_name FROM information_schema.TABLES WHERE table_schema = 'shop'",
    'SELECT \'DROP TABLE x; -- /*! not a comment */ INTO OUTFILE @@x\', "mysql.user" FROM t',
    'SELECT shop.orders.id FROM shop.orders',
    'EXPLAIN SELECT * FROM orders',
    'EXPLAIN FORMAT=JSON SELECT * FROM orders',
    'DESCRIBE orders',
    'DESC audit.log id',
    'SHOW TABLES',
    "SHOW FULL TABLES FROM audit LIKE 'l%'",
    'SHOW COLUMNS FROM orders FROM shop',
    'SHOW INDEX FROM shop.orders',
    'SHOW CREATE TABLE orders',
    'SHOW CREATE VIEW v',
    "SHOW TABLE STATUS LIKE 'o%'",
    "SHOW GLOBAL STATUS LIKE 'Threads%'",
    'SELECT 1;',
  ])
    it(sql.slice(0, 60), () => void passes(sql));

  it('are sent as they were checked: one line, no comments, functions tight to their parenthesis', () => {
    expect(passes('SELECT/* a */COUNT (*) -- b\n FROM # c\n `orders` AS o ;; ')).to.equal(
      'SELECT COUNT(*) FROM `orders` AS o',
    );
    expect(passes('SELECT 5--1, 6 - -1')).to.equal('SELECT 5 - - 1, 6 - - 1');
    expect(passes(`SELECT "it's", 'a\\'b', 'c''d', "e\\"f", 'g\\\\'`)).to.equal(
      `SELECT 'it''s', 'a''b', 'c''d', 'e"f', 'g\\\\'`,
    );
  });

  it('come out the same when they are read again', () => {
    const token = fc.constantFrom(
      "'",
      '"',
      '`',
      '\\',
      '-',
      '--',
      ' ',
      '#',
      '/*',
      '*/',
      '/',
      '*',
      '\n',
      'a',
      '1',
      '.',
      ',',
      '(',
      ')',
      'é',
      'x1',
      '=',
      '<',
      '>',
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 25 }), (parts) => {
        const read = readTokens(parts.join(''));
        fc.pre(read.ok);
        const again = readTokens(writeTokens(read.tokens));
        if (!again.ok) expect.fail(again.message);
        expect(writeTokens(again.tokens)).to.equal(writeTokens(read.tokens));
        expect(again.tokens).to.have.length(read.tokens.length);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('SE-2 mysql_query: statements that are denied', () => {
  for (const sql of [
    'INSERT INTO orders VALUES (1)',
    'UPDATE orders SET a = 1',
    'DELETE FROM orders',
    'DROP TABLE orders',
    'SET @a = 1',
    'CALL p()',
    'WITH x AS (SELECT 1) DELETE FROM orders',
    'EXPLAIN DELETE FROM orders',
    'EXPLAIN FOR CONNECTION 5',
    'KILL 5',
    'USE mysql',
    'DO SLEEP(1)',
    'SELECT 1; SELECT 2',
    'SELECT 1; DROP TABLE orders',
    "SELECT * FROM orders INTO OUTFILE '/tmp/x'",
    "SELECT * INTO/**/OUTFILE '/tmp/x' FROM orders",
    "SELECT 1 INTO DUMPFILE 'x'",
    'SELECT 1 INTO @a',
    'SELECT 1 INTO a',
    'SELECT * FROM orders FOR UPDATE',
    'SELECT * FROM orders FOR SHARE',
    'SELECT * FROM orders LOCK IN SHARE MODE',
    'SELECT * FROM orders PROCEDURE ANALYSE()',
    'SELECT SLEEP(5)',
    'SELECT sleep (5)',
    'SELECT `sleep`(5)',
    'SELECT BENCHMARK(1, 1)',
    "SELECT LOAD_FILE('/etc/passwd')",
    "SELECT GET_LOCK('a', 1)",
    'SELECT USER()',
    'SELECT CURRENT_USER',
    'SELECT CONNECTION_ID()',
    'SELECT LAST_INSERT_ID(5)',
    'SELECT UUID_SHORT()',
    'SELECT shop.f(1)',
    'SELECT f(1)',
    "SELECT EXTRACTVALUE(1, '/a')",
    'SELECT NEXT VALUE FOR s',
    'SELECT NEXTVAL(s)',
    'SELECT @@version',
    'SELECT @@global.secure_file_priv',
    'SELECT @a',
    'SELECT @a := 1',
    'SELECT * FROM mysql.user',
    'SELECT * FROM `mysql`.`user`',
    'SELECT * FROM MySQL . user',
    'SELECT * FROM performance_schema.threads',
    'SELECT * FROM sys.session',
    'SELECT * FROM information_schema.PROCESSLIST',
    'SELECT * FROM INFORMATION_SCHEMA.user_privileges',
    'SELECT * FROM information_schema.GLOBAL_VARIABLES',
    'SELECT * FROM hr.salaries',
    'SELECT hr.salaries.amount FROM orders',
    'SELECT (SELECT MAX(x) FROM hr.s)',
    'SELECT * FROM (orders JOIN (audit.log JOIN hr.s ON 1) ON 1)',
    'SELECT * FROM SHOP.orders',
    'WITH x AS (SELECT * FROM hr.s) SELECT * FROM x',
    'SELECT 1 UNION SELECT a FROM hr.s',
    'SELECT 1 FROM t ORDER BY (SELECT 1 FROM hr.s)',
    '/*! DROP TABLE orders */',
    'SELECT 1 /*!50000 FROM mysql.user */',
    'SELECT 1 /*M! , 2 */',
    'SELECT /*+ MAX_EXECUTION_TIME(1) */ 1',
    'SHOW PROCESSLIST',
    'SHOW FULL PROCESSLIST',
    'SHOW GRANTS',
    'SHOW VARIABLES',
    'SHOW MASTER STATUS',
    'SHOW ENGINE INNODB STATUS',
    'SHOW TABLES FROM mysql',
    'SHOW CREATE PROCEDURE p',
    'SHOW COLUMNS FROM user FROM mysql',
    'SHOW TABLES WHERE SLEEP(5)',
    'SHOW DATABASES',
    'SHOW CREATE TABLE mysql.user',
    'DESCRIBE mysql.user',
  ])
    it(sql.slice(0, 60), () => void refuses('DENIED', sql));

  it('however a forbidden table is hidden', () => {
    const places = [
      'SELECT * FROM $',
      'SELECT 1 WHERE EXISTS (SELECT 1 FROM $)',
      'SELECT IF((SELECT 1 FROM $), 1, 2)',
      'SELECT * FROM a, $',
      'SELECT * FROM a LEFT JOIN (b, $) ON 1',
      'SELECT SUM((SELECT 1 FROM $)) OVER () FROM a',
      'SELECT CASE WHEN (SELECT 1 FROM $) THEN 1 END',
      'SELECT 1 FROM a GROUP BY (SELECT 1 FROM $)',
      'SELECT 1 FROM a HAVING (SELECT 1 FROM $)',
      'SELECT * FROM (SELECT * FROM (SELECT * FROM $) x) y',
      'EXPLAIN SELECT * FROM $',
    ];
    const names = ['hr.s', '`hr`.`s`', 'hr . s', 'hr/* */./* */s', 'mysql.user'];
    for (const place of places) for (const name of names) refuses('DENIED', place.replace('$', name));
  });
});

describe('EG-10 mysql_query: statements that cannot be read', () => {
  for (const sql of [
    '',
    ' ;',
    'hello',
    'SELECT',
    'SELECT FROM WHERE',
    "SELECT 'open",
    'SELECT "open',
    'SELECT `open',
    'SELECT /* open',
    'SELECT (1',
    'SELECT 1)',
    'SELECT ?',
    'SELECT {d 1}',
    'SELECT \\N',
    "SELECT _utf8'x'",
    "SELECT N'x'",
    'SELECT 1abc',
    'SELECT * FROM 2020_orders',
    'SELECT `a\\b`',
    'SELECT `a``b`',
    'SELECT a., b FROM t',
    'SELECT x.a FROM t',
    'SELECT 1\u00a0+ 1',
    "SELECT 'a\0b'",
    `SELECT ${'('.repeat(500)}1${')'.repeat(500)}`,
  ])
    it(JSON.stringify(sql.slice(0, 40)), () => void refuses('INVALID_ARGUMENTS', sql));

  it('say where the reading stopped', () => {
    expect(refuses('INVALID_ARGUMENTS', 'SELECT id FROM orders WHERE AND x')).to.contain('near');
  });

  it('never raise, whatever the text', () => {
    const word = fc.constantFrom(
      'SELECT',
      'FROM',
      'mysql',
      '.',
      'user',
      '(',
      ')',
      "'",
      '`',
      '/*',
      '*/',
      '--',
      ',',
      '*',
      'UNION',
      'a',
      '1',
      'WITH',
      'AS',
      ' ',
      '\n',
      'CASE',
      'END',
      '=',
      'SHOW',
      'TABLES',
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30 }), (parts) => {
        const checked = checkStatement(parts.join(' '), POLICY);
        if (checked.ok) expect(checked.sql.replace(/'[^']*'/g, '').toLowerCase()).to.not.match(/\bmysql`?\./);
        else expect(checked.message).to.not.equal('');
      }),
      { numRuns: 1500 },
    );
  });
});
