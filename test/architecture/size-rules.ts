/** Sizes: a file, a function and an entry that can be read in one go. Lines of functions count without blanks and comments. */
import ts from 'typescript';
import { lineOf, type Breach, type Rule, type SourceText } from './source-tree.js';

export const FILE_LINES = 300;
export const FUNCTION_LINES = 50;
export const MAIN_LINES = 80;

export const fileSize: Rule = (tree) =>
  tree.flatMap((file) => {
    const lines = countLines(file.text);
    return lines <= FILE_LINES
      ? []
      : [`${file.path} has ${lines} lines: split it by concern, ${FILE_LINES} are allowed`];
  });

export const mainSize: Rule = (tree) =>
  tree.flatMap((file) => {
    if (!/(^|\/)main\.ts$/.test(file.path)) return [];
    const lines = countLines(file.text);
    return lines <= MAIN_LINES
      ? []
      : [
          `${file.path} has ${lines} lines: an entry only wires, so move the work out, ${MAIN_LINES} are allowed`,
        ];
  });

export const functionSize: Rule = (tree) =>
  tree.flatMap((file) => {
    const code = codeLines(file);
    const breaches: Breach[] = [];
    const visit = (node: ts.Node): void => {
      if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
        const lines = countWithin(file, node, code);
        if (lines > FUNCTION_LINES) breaches.push(tooLong(file, node, lines));
      }
      ts.forEachChild(node, visit);
    };
    visit(file.ast);
    return breaches;
  });

function tooLong(file: SourceText, node: ts.SignatureDeclaration, lines: number): Breach {
  const name = node.name === undefined ? 'a function' : node.name.getText(file.ast);
  return `${file.path}:${lineOf(file, node)} ${name} has ${lines} lines: give its steps names of their own, ${FUNCTION_LINES} are allowed`;
}

function countLines(text: string): number {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.length - 1 : lines.length;
}

function countWithin(file: SourceText, node: ts.Node, code: ReadonlySet<number>): number {
  const from = file.ast.getLineAndCharacterOfPosition(node.getStart(file.ast)).line;
  const to = file.ast.getLineAndCharacterOfPosition(node.end).line;
  let count = 0;
  for (let line = from; line <= to; line += 1) if (code.has(line)) count += 1;
  return count;
}

/** Lines on which a token stands: neither blank nor comment alone. */
function codeLines(file: SourceText): ReadonlySet<number> {
  const lines = new Set<number>();
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(file.ast);
    if (children.length === 0 && node.end > node.getStart(file.ast)) {
      const from = file.ast.getLineAndCharacterOfPosition(node.getStart(file.ast)).line;
      const to = file.ast.getLineAndCharacterOfPosition(node.end).line;
      for (let line = from; line <= to; line += 1) lines.add(line);
    }
    children.forEach(visit);
  };
  visit(file.ast);
  return lines;
}
