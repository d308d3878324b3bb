/**
 * The domain is pure: the same input gives the same output, at once. No clock, randomness, environment, timers, console,
 * network or promises; `new Date(argument)` only converts and is allowed.
 */
import ts from 'typescript';
import { lineOf, type Breach, type Rule, type SourceText } from './source-tree.js';

const DOMAIN = 'src/shared/domain/';

/** Globals that reach outside, and what to do instead. */
const OUTSIDE: ReadonlyMap<string, string> = new Map([
  ['process', 'pass the setting in as an argument'],
  ['globalThis', 'pass what is needed in as an argument'],
  ['Buffer', 'use strings, TextEncoder or Uint8Array'],
  ['performance', 'pass the time in as an argument'],
  ['crypto', 'pass the identifier or hash in as an argument'],
  ['console', 'return what is to be said'],
  ['fetch', 'declare a port and call it from a handler'],
  ['require', 'import from the domain alone'],
  ['setTimeout', 'decide only; timers belong to a handler'],
  ['setInterval', 'decide only; timers belong to a handler'],
  ['setImmediate', 'decide only; timers belong to a handler'],
  ['queueMicrotask', 'decide only; scheduling belongs to a handler'],
  ['Promise', 'decide only; waiting belongs to a handler'],
]);

export const domainIsPure: Rule = (tree) =>
  tree.filter(({ path }) => path.startsWith(DOMAIN)).flatMap((file) => breachesOf(file));

function breachesOf(file: SourceText): Breach[] {
  const breaches: Breach[] = [];
  const visit = (node: ts.Node): void => {
    const sentence = judge(node);
    if (sentence !== null) breaches.push(`${file.path}:${lineOf(file, node)} ${sentence}`);
    ts.forEachChild(node, visit);
  };
  visit(file.ast);
  return breaches;
}

function judge(node: ts.Node): string | null {
  if (
    node.kind === ts.SyntaxKind.AsyncKeyword ||
    ts.isAwaitExpression(node) ||
    (ts.isForOfStatement(node) && node.awaitModifier !== undefined)
  )
    return 'is asynchronous: the domain decides at once, so let a handler wait and pass the value in';
  if (readsClock(node)) return 'reads the clock: pass the time in as an argument';
  if (ts.isPropertyAccessExpression(node) && isNamed(node.expression, 'Math') && node.name.text === 'random')
    return 'draws at random: pass the value in as an argument';
  if (!ts.isIdentifier(node) || !isReference(node)) return null;
  const instead = OUTSIDE.get(node.text);
  return instead === undefined ? null : `uses ${node.text}: ${instead}`;
}

function readsClock(node: ts.Node): boolean {
  if (ts.isPropertyAccessExpression(node))
    return isNamed(node.expression, 'Date') && node.name.text === 'now';
  if (ts.isNewExpression(node))
    return isNamed(node.expression, 'Date') && (node.arguments?.length ?? 0) === 0;
  return ts.isCallExpression(node) && isNamed(node.expression, 'Date');
}

function isNamed(node: ts.Expression, name: string): boolean {
  return ts.isIdentifier(node) && node.text === name;
}

/** False for a name that only labels: a property, a key, a declaration of one's own. */
function isReference(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isQualifiedName(parent)) return parent.left === node;
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  if (ts.isBindingElement(parent)) return parent.initializer === node;
  if (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent)) return false;
  const labels =
    ts.isPropertyAssignment(parent) ||
    ts.isPropertySignature(parent) ||
    ts.isPropertyDeclaration(parent) ||
    ts.isMethodDeclaration(parent) ||
    ts.isMethodSignature(parent) ||
    ts.isParameter(parent) ||
    ts.isVariableDeclaration(parent) ||
    ts.isEnumMember(parent);
  return !(labels && parent.name === node);
}
