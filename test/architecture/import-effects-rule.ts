/**
 * Nothing opens or runs on import: only an entry may start something at its top level. Judged by the syntax: what a
 * module's top level (static class parts and functions called on the spot included) constructs, calls or awaits.
 */
import ts from 'typescript';
import { lineOf, type Breach, type Rule, type SourceText } from './source-tree.js';

/** Constructors that open a connection or start a thread or timer of their own. */
const OPENING_CLASSES = new Set([
  ...['Redis', 'Cluster', 'DataSource', 'Queue', 'Worker', 'QueueEvents', 'FlowProducer', 'OpenAI'],
  ...['Agent', 'Pool', 'Server', 'Socket', 'WebSocket', 'EventSource', 'BroadcastChannel'],
]);

/** Calls that open, read, write, start or schedule, by their last name. */
const OPENING_CALLS = new Set([
  ...[
    'connect',
    'createConnection',
    'createPool',
    'createServer',
    'createClient',
    'listen',
    'fetch',
    'request',
  ],
  ...['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'],
  ...['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'nextTick'],
  ...[
    'open',
    'openSync',
    'readFile',
    'readFileSync',
    'readdirSync',
    'writeFile',
    'writeFileSync',
    'mkdirSync',
  ],
  ...['createReadStream', 'createWriteStream', 'watch', 'config'],
]);

/** Programs whose entry has a name of its own. */
const NAMED_ENTRIES = new Set([
  'src/fleet/keeper.ts',
  'demo/try-corpus.ts',
  'src/shared/adapters/target-sql/statement-worker.ts',
]);

/** Files that are run, not imported. */
export function isEntry(path: string): boolean {
  return /(^|\/)main\.ts$/.test(path) || NAMED_ENTRIES.has(path);
}

export const nothingOpensOnImport: Rule = (tree) =>
  tree.filter(({ path }) => !isEntry(path)).flatMap((file) => breachesOf(file));

function breachesOf(file: SourceText): Breach[] {
  const breaches: Breach[] = [];
  const visit = (node: ts.Node): void => {
    const sentence = judge(node);
    if (sentence !== null) breaches.push(`${file.path}:${lineOf(file, node)} ${sentence}`);
    if (!runsLater(node)) ts.forEachChild(node, visit);
  };
  ts.forEachChild(file.ast, visit);
  return breaches;
}

function judge(node: ts.Node): string | null {
  const instead = 'export a function that does it and call that from main.ts';
  if (ts.isAwaitExpression(node) || (ts.isForOfStatement(node) && node.awaitModifier !== undefined))
    return `waits while it is imported: ${instead}`;
  if (ts.isNewExpression(node)) {
    const name = lastName(node.expression);
    return OPENING_CLASSES.has(name) ? `makes a ${name} while it is imported: ${instead}` : null;
  }
  if (!ts.isCallExpression(node)) return null;
  if (node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return `loads a module while it is imported: ${instead}`;
  const name = lastName(node.expression);
  if (OPENING_CALLS.has(name)) return `calls ${name} while it is imported: ${instead}`;
  return listensOnProcess(node) ? `listens on the process while it is imported: ${instead}` : null;
}

/** `process.on(…)` and `process.once(…)`. */
function listensOnProcess(call: ts.CallExpression): boolean {
  const { expression } = call;
  return (
    ts.isPropertyAccessExpression(expression) &&
    /^(on|once|addListener)$/.test(expression.name.text) &&
    ts.isIdentifier(expression.expression) &&
    expression.expression.text === 'process'
  );
}

function lastName(callee: ts.Expression): string {
  if (ts.isIdentifier(callee)) return callee.text;
  return ts.isPropertyAccessExpression(callee) ? callee.name.text : '';
}

/** A function's body runs when it is called, unless it is called on the spot; so do instance fields. */
function runsLater(node: ts.Node): boolean {
  if (ts.isTypeNode(node)) return true;
  if (ts.isClassStaticBlockDeclaration(node)) return false;
  if (ts.isPropertyDeclaration(node))
    return node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword) !== true;
  if (!ts.isFunctionLike(node)) return false;
  let outer: ts.Node = node;
  while (ts.isParenthesizedExpression(outer.parent)) outer = outer.parent;
  return !(ts.isCallExpression(outer.parent) && outer.parent.expression === outer);
}
