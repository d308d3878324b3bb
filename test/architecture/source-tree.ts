/**
 * The sources as the structure rules see them: paths relative to the repository, texts, parsed files and the imports
 * between them. A tree can be read from disk or made of strings, so that every rule can be shown a breach of itself.
 */
import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import ts from 'typescript';

export interface SourceImport {
  /** The specifier as written. */
  specifier: string;
  /** Path in the tree for a relative import, else null. */
  target: string | null;
  line: number;
  /** Erased by the compiler. */
  typeOnly: boolean;
}

export interface SourceText {
  /** With forward slashes, e.g. `src/api/main.ts`. */
  path: string;
  text: string;
  ast: ts.SourceFile;
  imports: readonly SourceImport[];
}

export type SourceTree = readonly SourceText[];

/** A breach in the words of the developer who must mend it. */
export type Breach = string;
export type Rule = (tree: SourceTree) => Breach[];

export function treeOf(files: Readonly<Record<string, string>>): SourceTree {
  return Object.entries(files).map(([path, text]) => {
    const ast = ts.createSourceFile(path, text, ts.ScriptTarget.ES2023, true, ts.ScriptKind.TS);
    return { path, text, ast, imports: importsOf(path, ast) };
  });
}

/** @param folders of the repository, e.g. `src`; one that does not exist yet has no files. */
export function readTree(root: string, folders: readonly string[]): SourceTree {
  const files: Record<string, string> = {};
  for (const folder of folders) {
    if (!existsSync(join(root, folder))) continue;
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || !/\.[cm]?tsx?$/.test(entry.name)) continue;
      const full = join(entry.parentPath, entry.name);
      files[full.slice(root.length + 1).replaceAll('\\', '/')] = readFileSync(full, 'utf8');
    }
  }
  return treeOf(files);
}

/** The folder above this file that holds `package.json`. */
export function repositoryRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    const above = dirname(folder);
    if (above === folder) throw new Error('no package.json above the structure test');
    folder = above;
  }
  return folder;
}

export function lineOf(file: SourceText, node: ts.Node): number {
  return file.ast.getLineAndCharacterOfPosition(node.getStart(file.ast)).line + 1;
}

function importsOf(path: string, ast: ts.SourceFile): SourceImport[] {
  const found: SourceImport[] = [];
  const visit = (node: ts.Node): void => {
    const named = specifierOf(node);
    if (named !== null) {
      found.push({
        ...named,
        target: named.specifier.startsWith('.') ? resolve(path, named.specifier) : null,
        line: ast.getLineAndCharacterOfPosition(node.getStart(ast)).line + 1,
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(ast);
  return found;
}

/** Every form in which one file names another: static, re-export, dynamic, `require` and types. */
function specifierOf(node: ts.Node): { specifier: string; typeOnly: boolean } | null {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    return { specifier: node.moduleSpecifier.text, typeOnly: isTypeOnly(node.importClause) };
  }
  if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
    return { specifier: node.moduleSpecifier.text, typeOnly: node.isTypeOnly };
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
    const { literal } = node.argument;
    return ts.isStringLiteral(literal) ? { specifier: literal.text, typeOnly: true } : null;
  }
  if (ts.isExternalModuleReference(node) && ts.isStringLiteralLike(node.expression)) {
    return { specifier: node.expression.text, typeOnly: false };
  }
  if (ts.isCallExpression(node) && isLoader(node.expression)) {
    const [first] = node.arguments;
    return first && ts.isStringLiteralLike(first) ? { specifier: first.text, typeOnly: false } : null;
  }
  return null;
}

function isTypeOnly(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const { name, namedBindings } = clause;
  if (name !== undefined || namedBindings === undefined || !ts.isNamedImports(namedBindings)) return false;
  return namedBindings.elements.length > 0 && namedBindings.elements.every((element) => element.isTypeOnly);
}

function isLoader(callee: ts.Expression): boolean {
  if (callee.kind === ts.SyntaxKind.ImportKeyword) return true;
  return ts.isIdentifier(callee) && callee.text === 'require';
}

function resolve(from: string, specifier: string): string {
  const joined = posix.join(posix.dirname(from), specifier);
  return joined.replace(/\.([cm]?)js$/, '.$1ts');
}
