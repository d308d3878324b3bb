/** No test is left out of a run by hand, and none shuts the others out. */
import ts from 'typescript';
import { lineOf, type Breach, type Rule } from './source-tree.js';

const CUT_SHORT = new Set(['xit', 'xdescribe', 'xcontext', 'xspecify', 'fit', 'fdescribe']);

export const everyTestRuns: Rule = (tree) =>
  tree.flatMap((file) => {
    const breaches: Breach[] = [];
    const visit = (node: ts.Node): void => {
      const name = ts.isCallExpression(node) ? cutName(node.expression) : null;
      if (name !== null)
        breaches.push(
          `${file.path}:${lineOf(file, node)} calls ${name}: mend the test or remove it, every test runs`,
        );
      ts.forEachChild(node, visit);
    };
    visit(file.ast);
    return breaches;
  });

function cutName(callee: ts.Expression): string | null {
  if (ts.isIdentifier(callee)) return CUT_SHORT.has(callee.text) ? callee.text : null;
  if (!ts.isPropertyAccessExpression(callee)) return null;
  const { text } = callee.name;
  if (text !== 'only' && text !== 'skip') return null;
  const owner = callee.expression;
  const isMocha =
    owner.kind === ts.SyntaxKind.ThisKeyword ||
    (ts.isIdentifier(owner) && /^(it|describe|context|specify|suite|test)$/.test(owner.text));
  return isMocha ? `${owner.getText()}.${text}` : null;
}
