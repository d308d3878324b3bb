/** Which part may import which: the direction of imports. */
import { isEntry } from './import-effects-rule.js';
import type { Breach, Rule, SourceImport, SourceText } from './source-tree.js';

interface Layer {
  /** Paths begin with this. */
  within: string;
  /** Relative imports may only lead to paths that begin with one of these. */
  mayImport: readonly string[];
  /** Packages and Node modules that it may import; null: any. */
  packages: readonly string[] | null;
  /** What to do instead. */
  instead: string;
}

const DOMAIN = 'src/shared/domain/';
const PORTS = 'src/shared/ports/';
const ADAPTERS = 'src/shared/adapters/';
const RUNTIME = 'src/shared/runtime/';
const SHARED = 'src/shared/';
const API = 'src/api/';
const WORKERS = 'src/workers/';
const ANALYST = 'src/offline-analyst/';

const LAYERS: readonly Layer[] = [
  {
    within: DOMAIN,
    mayImport: [DOMAIN],
    packages: ['zod'],
    instead:
      'the domain is pure: pass in what it needs as a value, or declare a port and call it from a handler',
  },
  {
    within: PORTS,
    mayImport: [DOMAIN, PORTS],
    packages: [],
    instead: 'a port is a contract in words and domain types: keep clients and their types in an adapter',
  },
  {
    within: RUNTIME,
    mayImport: [DOMAIN, PORTS, RUNTIME],
    packages: null,
    instead: 'the runtime knows no foreign system: pass what it needs from main.ts',
  },
  {
    within: ANALYST,
    mayImport: [DOMAIN, PORTS, RUNTIME, ANALYST],
    packages: null,
    instead:
      'the offline analyst stands behind the model’s wire like any other model: it reads what it is sent',
  },
  {
    within: API,
    mayImport: [SHARED, API],
    packages: null,
    instead:
      'the API enqueues and relays: share through a port or the domain, never with a worker or a command',
  },
  {
    within: WORKERS,
    mayImport: [SHARED, WORKERS],
    packages: null,
    instead:
      'workers take jobs from the queue: share through a port or the domain, never with the API or a command',
  },
  {
    within: SHARED,
    mayImport: [SHARED, 'migrations/'],
    packages: null,
    instead: 'what is shared knows no process: move the part that both need down into src/shared',
  },
  {
    within: 'src/',
    mayImport: ['src/', 'migrations/'],
    packages: null,
    instead: 'the product imports no test, demo or benchmark',
  },
  {
    within: 'migrations/',
    mayImport: ['migrations/'],
    packages: ['typeorm'],
    instead: 'a migration never changes once it has run: write its statements out in it',
  },
];

/** Imports that lead against the direction; the first layer that a path lies in decides, and the broader ones too. */
export const importDirection: Rule = (tree) =>
  eachImport(tree, (file, found) => {
    const layer = LAYERS.find(
      ({ within, mayImport, packages }) =>
        file.path.startsWith(within) &&
        (found.target === null
          ? packages !== null && !packages.includes(found.specifier)
          : !mayImport.some((prefix) => found.target?.startsWith(prefix))),
    );
    return layer && `imports ${found.target ?? found.specifier}: ${layer.instead}`;
  });

/** `adapters/mysql/…` and `adapters/redis/…` meet only in a main.ts. */
export const adaptersApart: Rule = (tree) =>
  eachImport(tree, (file, found) => {
    if (!file.path.startsWith(ADAPTERS) || found.target === null) return undefined;
    const from = system(file.path);
    if (!found.target.startsWith(ADAPTERS)) {
      const allowed =
        [DOMAIN, PORTS, RUNTIME].some((prefix) => found.target?.startsWith(prefix)) ||
        (from === 'mysql' && found.target.startsWith('migrations/'));
      return allowed
        ? undefined
        : `imports ${found.target}: an adapter imports domain, ports and runtime alone, so pass it in as an argument`;
    }
    const to = system(found.target);
    return from === to
      ? undefined
      : `imports the adapter ${to}: adapters do not know each other, so pass what it needs from main.ts through a port`;
  });

/** Ports describe: what they take from the domain is erased by the compiler. */
export const portsAreTypes: Rule = (tree) =>
  eachImport(tree, (file, found) =>
    file.path.startsWith(PORTS) && !found.typeOnly && found.target?.startsWith(DOMAIN) === true
      ? `imports ${found.target} as a value: a port names types, so write \`import type\``
      : undefined,
  );

/** The two workers share through `src/workers/*.ts` alone: either can be scaled and replaced without the other. */
export const workersApart: Rule = (tree) =>
  eachImport(tree, (file, found) => {
    const pair = [`${WORKERS}diagnosis/`, `${WORKERS}guard/`];
    const from = pair.find((prefix) => file.path.startsWith(prefix));
    const to = pair.find((prefix) => found.target?.startsWith(prefix) === true);
    return from !== undefined && to !== undefined && from !== to
      ? `imports ${found.target ?? ''}: the workers do not know each other, so move the shared part to src/workers`
      : undefined;
  });

/** An entry runs when it is loaded, so nobody loads it but Node. */
export const nobodyImportsMain: Rule = (tree) =>
  eachImport(tree, (_file, found) =>
    found.target !== null && isEntry(found.target)
      ? `imports ${found.target}, which is an entry: move what you need out of it into a file of its own`
      : undefined,
  );

/** A specifier must lead to a file of the tree, else the rules above would look past it. */
export const importsResolve: Rule = (tree) => {
  const known = new Set(tree.map(({ path }) => path));
  return eachImport(tree, (_file, found) =>
    found.target === null || known.has(found.target) || !/^(src|migrations)\//.test(found.target)
      ? undefined
      : `imports ${found.specifier}, which is no source file: name the file whole, with the ending .js`,
  );
};

function eachImport(
  tree: readonly SourceText[],
  judge: (file: SourceText, found: SourceImport) => string | undefined,
): Breach[] {
  return tree.flatMap((file) =>
    file.imports.flatMap((found) => {
      const sentence = judge(file, found);
      return sentence === undefined ? [] : [`${file.path}:${found.line} ${sentence}`];
    }),
  );
}

function system(path: string): string {
  return path.slice(ADAPTERS.length).split('/')[0] ?? '';
}
