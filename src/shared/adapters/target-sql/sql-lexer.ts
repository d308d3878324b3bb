/**
 * SQL text as the tokens that a MySQL or MariaDB server reads under the session's pinned mode: backslash escapes on,
 * ANSI_QUOTES off, character set utf8mb4. Comments are dropped, and whatever a parser and the server might read
 * differently is refused, so that the statement which is checked is the statement which is sent. Pure, one pass.
 */
import { denied, invalid, type SqlRefusal } from './sql-refusal.js';

export type SqlToken =
  /** Keyword, function or identifier as it was written: ASCII letters, digits, `_`, `$`. */
  | { kind: 'word'; text: string }
  /** An identifier that cannot be a keyword: in backticks, behind a point, or with letters beyond ASCII. */
  | { kind: 'name'; text: string }
  /** What stands between single quotes: a quote in it is doubled, every other escape is as it was written. */
  | { kind: 'string'; text: string }
  | { kind: 'number'; text: string }
  | { kind: 'symbol'; text: string };

export type SqlTokens = { ok: true; tokens: SqlToken[] } | SqlRefusal;

const SPACE = new Set([' ', '\t', '\n', '\r']);
const SYMBOLS = [
  ...['<=>', '->>', '<=', '>=', '<>', '!=', '<<', '>>', '||', '&&', '->', ':='],
  ...['(', ')', ',', '.', ';', '+', '-', '*', '/', '%', '=', '<', '>', '!', '~', '&', '|', '^', '@'],
];
const WORD = /[\p{L}\p{N}\p{M}_$]+/uy;
const ASCII_WORD = /^[A-Za-z_$][A-Za-z0-9_$]*$/;
const NUMBER =
  /(?:0[xX][0-9A-Fa-f]+|0b[01]+|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)(?![\p{L}\p{N}\p{M}_$])/uy;
const DIGIT = /^\.?[0-9]/;
/** `X'4D'` and `b'01'` are numbers of their own kind; other letters before a string name a character set. */
const BIT_STRING = /(?:[xX]'(?:[0-9A-Fa-f]{2})*'|[bB]'[01]*')/y;
const MAX_NAME = 256;

function isControl(char: string): boolean {
  const code = char.charCodeAt(0);
  return code < 0x20 || code === 0x7f;
}

function hasOddCharacter(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    if (isControl(text.charAt(at)) || text.charAt(at) === '\\') return true;
  }
  return false;
}

class Lexer {
  readonly tokens: SqlToken[] = [];
  #at = 0;

  constructor(private readonly sql: string) {}

  run(): SqlTokens {
    while (this.#at < this.sql.length) {
      const refusal = this.#step();
      if (refusal) return refusal;
    }
    return { ok: true, tokens: this.tokens };
  }

  #step(): SqlRefusal | undefined {
    const { sql } = this;
    const char = sql.charAt(this.#at);
    if (SPACE.has(char)) {
      this.#at++;
      return undefined;
    }
    if (char === '#' || this.#startsLineComment()) {
      const end = sql.indexOf('\n', this.#at);
      this.#at = end < 0 ? sql.length : end + 1;
      return undefined;
    }
    if (sql.startsWith('/*', this.#at)) return this.#comment();
    if (char === "'" || char === '"') return this.#string(char);
    if (char === '`') return this.#quotedName();
    const number = this.#number();
    return number === 'read' ? undefined : (number ?? this.#plain(char));
  }

  /** `--` begins a comment only before white space, a control character or the end. */
  #startsLineComment(): boolean {
    if (!this.sql.startsWith('--', this.#at)) return false;
    const next = this.sql.charAt(this.#at + 2);
    return next === '' || next === ' ' || isControl(next);
  }

  #comment(): SqlRefusal | undefined {
    const rest = this.sql.slice(this.#at + 2, this.#at + 4);
    if (rest.startsWith('!') || /^M!/i.test(rest))
      return denied('executable comments (/*! … */) are not allowed');
    if (rest.startsWith('+')) return denied('optimizer hints (/*+ … */) are not allowed');
    const end = this.sql.indexOf('*/', this.#at + 2);
    if (end < 0) return invalid('a comment is not closed');
    this.#at = end + 2;
    return undefined;
  }

  #string(quote: string): SqlRefusal | undefined {
    const last = this.tokens.at(-1);
    if (last?.kind === 'word' && /^_[a-z0-9]+$|^n$/i.test(last.text))
      return invalid(`a character set before a string (${last.text}'…') is not supported`);
    let text = '';
    for (let i = this.#at + 1; i < this.sql.length; i++) {
      const char = this.sql.charAt(i);
      if (char === '\0') break;
      if (char === '\\') {
        const escaped = this.sql.charAt(++i);
        text += escaped === "'" ? "''" : escaped === '"' ? '"' : `\\${escaped}`;
      } else if (char !== quote) text += char === "'" ? "''" : char;
      else if (this.sql.charAt(i + 1) === quote) {
        text += quote === "'" ? "''" : '"';
        i++;
      } else {
        this.tokens.push({ kind: 'string', text });
        this.#at = i + 1;
        return undefined;
      }
    }
    return invalid('a string is not closed');
  }

  #quotedName(): SqlRefusal | undefined {
    const end = this.sql.indexOf('`', this.#at + 1);
    if (end < 0) return invalid('a quoted identifier is not closed');
    const text = this.sql.slice(this.#at + 1, end);
    const plain = text !== '' && text.length <= MAX_NAME && text === text.trim();
    if (!plain || this.sql.charAt(end + 1) === '`' || hasOddCharacter(text))
      return invalid(
        'a quoted identifier is empty, too long, or holds a backtick, a backslash or a control character',
      );
    this.tokens.push({ kind: 'name', text });
    this.#at = end + 1;
    return undefined;
  }

  /** Undefined when no number stands here. */
  #number(): SqlRefusal | 'read' | undefined {
    const { sql } = this;
    for (const pattern of [BIT_STRING, NUMBER]) {
      pattern.lastIndex = this.#at;
      const text = pattern.exec(sql)?.[0];
      if (text === undefined) continue;
      const last = this.tokens.at(-1);
      // `t.1` and `t .5` are read as a qualified name by some, as a number by others.
      if (last?.kind === 'symbol' && last.text === '.') break;
      if (text.startsWith('.') && (last?.kind === 'word' || last?.kind === 'name')) break;
      this.tokens.push({ kind: 'number', text: text.startsWith('.') ? `0${text}` : text });
      this.#at += text.length;
      return 'read';
    }
    return DIGIT.test(sql.slice(this.#at, this.#at + 2))
      ? invalid('an identifier that begins with a digit must stand in backticks')
      : undefined;
  }

  #plain(char: string): SqlRefusal | undefined {
    WORD.lastIndex = this.#at;
    const word = WORD.exec(this.sql)?.[0];
    if (word !== undefined) return this.#word(word);
    const symbol = SYMBOLS.find((text) => this.sql.startsWith(text, this.#at));
    if (symbol === '@' || symbol === ':=') return denied('variables (@x, @@x, :=) are not allowed');
    if (symbol === undefined)
      return invalid(
        char === '?'
          ? 'placeholders (?) are not supported: write the value'
          : `the character ${JSON.stringify(char)} is not supported outside quotes`,
      );
    const last = this.tokens.at(-1)?.kind;
    if (symbol === '.' && last !== 'word' && last !== 'name')
      return invalid('a point stands without a name before it');
    this.tokens.push({ kind: 'symbol', text: symbol });
    this.#at += symbol.length;
    return undefined;
  }

  #word(text: string): SqlRefusal | undefined {
    const last = this.tokens.at(-1);
    const qualified = last?.kind === 'symbol' && last.text === '.';
    if (text.length > MAX_NAME) return invalid('an identifier is too long');
    if (ASCII_WORD.test(text)) this.tokens.push({ kind: qualified ? 'name' : 'word', text });
    // Surrogate pairs are not allowed in identifiers, and digits first only in quotes.
    else if (/^[\p{L}_$]/u.test(text) && !/[\ud800-\udfff]/.test(text))
      this.tokens.push({ kind: 'name', text });
    else return invalid('an identifier with such characters must stand in backticks');
    this.#at += text.length;
    return undefined;
  }
}

export function readTokens(sql: string): SqlTokens {
  return new Lexer(sql).run();
}
