/**
 * The index that a process keeps of the knowledge base, brought up to date before a search when the last look is a second
 * old: a change is seen within two seconds, a deleted document is gone. A store that is away fails the search: an old
 * answer could name a document that no longer exists.
 */
import type { Clock } from '../../ports/clock.js';
import type { KnowledgeStore } from '../../ports/knowledge-store.js';
import { LexicalIndex, type LexicalHit } from './lexical-index.js';

const CHECK_EVERY_MS = 1000;
const LOAD_AT_ONCE = 100;
const MAX_DOCUMENTS = 5000;

export interface KnowledgeIndexOptions {
  store: KnowledgeStore;
  clock: Clock;
  /** Documents at most in memory; 5,000. */
  maxDocuments?: number;
}

export interface KnowledgeAnswer {
  /** Above the relevance floor, best first. */
  hits: LexicalHit[];
  /** Documents that were searched. */
  documents: number;
  /** False when the knowledge base holds more documents than are searched. */
  complete: boolean;
}

export interface KnowledgeIndex {
  /** Rejects with the store's error when it cannot be asked for changes. */
  search(query: string): Promise<KnowledgeAnswer>;
}

class StoredKnowledgeIndex implements KnowledgeIndex {
  readonly #index = new LexicalIndex();
  #version: string | undefined;
  #complete = true;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<void> | undefined;

  constructor(private readonly options: KnowledgeIndexOptions) {}

  async search(query: string): Promise<KnowledgeAnswer> {
    await this.#upToDate();
    return { hits: this.#index.search(query), documents: this.#index.size, complete: this.#complete };
  }

  /** One look at a time, shared by those who wait for it. */
  async #upToDate(): Promise<void> {
    const age = this.options.clock.now().getTime() - this.#checkedAt;
    if (age >= 0 && age < CHECK_EVERY_MS) return;
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    await this.#refreshing;
  }

  async #refresh(): Promise<void> {
    const { store, clock } = this.options;
    const startedAt = clock.now().getTime();
    // Read before the documents: a change in between makes the next look differ.
    const version = await store.version();
    if (version !== this.#version) {
      await this.#catchUp();
      this.#version = version;
    }
    this.#checkedAt = startedAt;
  }

  async #catchUp(): Promise<void> {
    const max = this.options.maxDocuments ?? MAX_DOCUMENTS;
    const listed = await this.options.store.revisions(max + 1);
    const present = listed.slice(0, max);
    const changed = present.filter((entry) => this.#index.revision(entry.documentId) !== entry.revision);
    const gone = new Set(this.#index.documentIds());
    for (const { documentId } of present) gone.delete(documentId);
    for (const documentId of gone) this.#index.remove(documentId);
    for (let at = 0; at < changed.length; at += LOAD_AT_ONCE) {
      const ids = changed.slice(at, at + LOAD_AT_ONCE).map((entry) => entry.documentId);
      const documents = await this.options.store.load(ids);
      // What was listed and is not there any more has been deleted since.
      for (const documentId of ids) this.#index.remove(documentId);
      for (const document of documents) this.#index.put(document);
    }
    this.#complete = listed.length <= max;
  }
}

/** Opens nothing; the first search loads the documents. */
export function createKnowledgeIndex(options: KnowledgeIndexOptions): KnowledgeIndex {
  return new StoredKnowledgeIndex(options);
}
