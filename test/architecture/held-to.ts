/** Holds the repository to a rule, after the rule has been shown breaches of itself: none passes by blindness. */
import { expect } from 'chai';
import { readTree, repositoryRoot, treeOf, type Rule, type SourceTree } from './source-tree.js';

export type Files = Readonly<Record<string, string>>;

/** A tree that breaks a rule in one place, and a part of the sentence expected. */
export type Shown = readonly [files: Files, says: string];

const read = new Map<string, SourceTree>();

/** Files of the repository's folders, read and parsed once. */
export function repository(...folders: string[]): SourceTree {
  return folders.flatMap((folder) => {
    const tree = read.get(folder) ?? readTree(repositoryRoot(), [folder]);
    read.set(folder, tree);
    return tree;
  });
}

export const sources = (): SourceTree => repository('src', 'migrations', 'demo', 'bench');
export const tests = (): SourceTree => repository('test');

/** @param allowed trees that the rule must let pass. */
export function heldTo(
  rule: Rule,
  tree: () => SourceTree,
  breaches: readonly Shown[],
  allowed: readonly Files[] = [],
): void {
  breaches.forEach(([files, says], index) => {
    it(`refuses: ${says} (${index + 1})`, () => {
      const found = rule(treeOf(files));
      expect(found, JSON.stringify(files)).to.have.length(1);
      expect(found[0]).to.contain(says);
    });
  });
  allowed.forEach((files, index) => {
    it(`lets pass what is right (${index + 1})`, () => {
      expect(rule(treeOf(files))).to.deep.equal([]);
    });
  });
  it('holds for the repository', function () {
    this.timeout(60_000);
    const found = rule(tree());
    expect(found, `\n${found.join('\n')}\n`).to.deep.equal([]);
  });
}
