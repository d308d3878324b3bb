import { expect } from 'chai';
import fc from 'fast-check';
import { sqlStatements, SqlScriptFault } from '../../demo/corpus/sql-script.js';

const split = (script: string): string[] => [...sqlStatements(script)];

describe('splitting an SQL script', () => {
  const cases: [string, string, string[]][] = [
    [
      'statements, the last without a delimiter',
      'SELECT 1; SELECT 2;\nSELECT 3',
      ['SELECT 1', 'SELECT 2', 'SELECT 3'],
    ],
    ['nothing but blanks and comments', ' \n-- a; b\n# c; d\n/* e; f */ ;;\n', []],
    [
      'delimiters in strings and quoted names',
      `INSERT INTO \`a;b\` VALUES ('x;''y', "z;""w", 'q\\';r');`,
      [`INSERT INTO \`a;b\` VALUES ('x;''y', "z;""w", 'q\\';r')`],
    ],
    [
      'a backslash in a quoted name, which escapes nothing',
      'SELECT `a\\`; SELECT 2',
      ['SELECT `a\\`', 'SELECT 2'],
    ],
    [
      'delimiters in comments within a statement',
      'SELECT 1 -- no;\n + 2 # no;\n + /* no; */ 3;',
      ['SELECT 1 -- no;\n + 2 # no;\n + /* no; */ 3'],
    ],
    ['two dashes that are no comment', 'SELECT 5--3; SELECT 1', ['SELECT 5--3', 'SELECT 1']],
    [
      'a quote in a comment',
      "SELECT 1 -- don't\n; SELECT 2",
      ["SELECT 1 -- don't\n", 'SELECT 2'].map((s) => s.trim()),
    ],
    [
      'an executable comment',
      '/*!50610 ALTER TABLE t ENGINE=InnoDB */; /*M!100100 SET x=1 */;',
      ['/*!50610 ALTER TABLE t ENGINE=InnoDB */', '/*M!100100 SET x=1 */'],
    ],
    [
      'bodies under other delimiters',
      'SELECT 0;\nDELIMITER ;;\nCREATE TRIGGER a BEGIN x; y; END;;\n\nCREATE TRIGGER b BEGIN z; END;;\nDELIMITER ;\ndelimiter //\nCREATE PROCEDURE c() BEGIN SELECT 1/2; END //\nDELIMITER $$\nSELECT "$$" $$\nDELIMITER ;\nSELECT 9;',
      [
        'SELECT 0',
        'CREATE TRIGGER a BEGIN x; y; END',
        'CREATE TRIGGER b BEGIN z; END',
        'CREATE PROCEDURE c() BEGIN SELECT 1/2; END',
        'SELECT "$$"',
        'SELECT 9',
      ],
    ],
    [
      'the word within a statement',
      "SELECT '\nDELIMITER //\n';\nSELECT delimiter FROM t;",
      ["SELECT '\nDELIMITER //\n'", 'SELECT delimiter FROM t'],
    ],
    ['line ends of other systems', 'DELIMITER //\r\nA;B//\r\nDELIMITER ;\r\nC;\r\n', ['A;B', 'C']],
  ];
  for (const [what, script, statements] of cases) {
    it(`understands ${what}`, () => {
      expect(split(script)).to.deep.equal(statements);
    });
  }

  it('refuses what does not end, instead of sending half of it', () => {
    for (const script of [
      "SELECT 'a",
      'SELECT `a',
      'SELECT "a\\"',
      '/* a',
      'SELECT 1 /* a',
      "DELIMITER '\nx'",
    ])
      expect(() => split(script), script).to.throw(SqlScriptFault);
  });

  it('gives back whatever was joined', () => {
    const literal = fc.string().map((text) => `'${text.replace(/['\\]/g, '\\$&')}'`);
    const statement = literal.map((text) => `SELECT ${text}`);
    fc.assert(
      fc.property(fc.array(statement), fc.constantFrom(';', '//', '$$', ';;'), (list, delimiter) => {
        const script = `DELIMITER ${delimiter}\n${list.map((one) => `${one}${delimiter}\n-- next\n`).join('')}`;
        expect(split(script)).to.deep.equal(list);
      }),
    );
  });
});
