/** No import cycles, types included: files in a cycle cannot be understood, tested or moved one at a time. */
import type { Breach, Rule, SourceText } from './source-tree.js';

export const noImportCycle: Rule = (tree) => {
  const edges = new Map(tree.map((file) => [file.path, targetsOf(file)]));
  const done = new Set<string>();
  const breaches: Breach[] = [];
  for (const start of edges.keys()) walk(start, edges, done, breaches);
  return breaches;
};

function targetsOf({ imports }: SourceText): string[] {
  return imports.flatMap(({ target }) => (target === null ? [] : [target]));
}

/** Depth first without recursion; `trail` is the way from the start to where we stand. */
function walk(
  start: string,
  edges: ReadonlyMap<string, string[]>,
  done: Set<string>,
  breaches: Breach[],
): void {
  const trail: { path: string; left: string[] }[] = [{ path: start, left: [...(edges.get(start) ?? [])] }];
  while (trail.length > 0) {
    const here = trail[trail.length - 1];
    if (here === undefined) return;
    const next = done.has(here.path) ? undefined : here.left.shift();
    if (next === undefined) {
      done.add(here.path);
      trail.pop();
      continue;
    }
    const from = trail.findIndex(({ path }) => path === next);
    if (from < 0) {
      trail.push({ path: next, left: [...(edges.get(next) ?? [])] });
      continue;
    }
    const cycle = [...trail.slice(from).map(({ path }) => path), next];
    breaches.push(
      `${here.path} closes an import cycle (${cycle.join(' → ')}): move what both sides need into a file that imports neither`,
    );
  }
}
