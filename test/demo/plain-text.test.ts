import { expect } from 'chai';
import fc from 'fast-check';
import { cleanLine, cleanText } from '../../src/cli/render/plain-text.js';

const ESC = String.fromCharCode(27);
const BEL = String.fromCharCode(7);
const CSI = String.fromCharCode(0x9b);

/** Control characters other than the line feed, and bidi controls. */
const OBEYED = /(?!\n)\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

describe('SE-2 text from outside on a terminal', () => {
  const cases: [string, string, string][] = [
    ['colours', `${ESC}[1;31mfatal${ESC}[0m error`, 'fatal error'],
    ['eight-bit control sequences', `a${CSI}2Jb`, 'ab'],
    ['cursor movement that would overwrite a line', `bad${ESC}[1A${ESC}[2Kgood`, 'badgood'],
    ['a window title', `x${ESC}]0;owned${BEL}y`, 'xy'],
    ['a link', `${ESC}]8;;http://evil.example${ESC}\\click${ESC}]8;;${ESC}\\`, 'click'],
    ['a choice of character set', `${ESC}(Bplain`, 'plain'],
    ['backspaces', 'root\b\b\b\buser', 'rootuser'],
    ['a carriage return that would overwrite', 'denied\rgranted', 'denied\ngranted'],
    ['bidi overrides', 'abc\u202edef\u2066ghi', 'abcdefghi'],
    ['invisible characters', 'pay\u200bments\ufeff', 'payments'],
    ['line and paragraph separators', 'a\u2028b\u2029c', 'a\nb\nc'],
  ];
  for (const [what, given, shown] of cases) {
    it(`shows no effect of ${what}`, () => {
      expect(cleanText(given)).to.equal(shown);
    });
  }

  it('hides nothing behind a command string that has no end', () => {
    expect(cleanText(`${ESC}]0;ERROR lost payment`)).to.equal(']0;ERROR lost payment');
  });

  it('leaves ordinary text of any script alone, joined emoji included', () => {
    const text = 'Größe 42 · 支払い · ﷼ · 👩‍👩‍👧 · [A1] <b>';
    expect(cleanText(text)).to.equal(text);
  });

  it('lets no control through, whatever comes', () => {
    const hostile = fc.array(
      fc.constantFrom(ESC, CSI, BEL, '[', ']', '0', ';', 'm', '\\', '\r', '\n', '\u202e', 'x', '\u009d'),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          hostile.map((parts) => parts.join('')),
          fc.string({ unit: 'binary' }),
        ),
        (text) => {
          expect(cleanText(text)).to.not.match(OBEYED);
          expect(cleanLine(text)).to.not.match(/[\n\t]/);
        },
      ),
    );
  });
});
