/**
 * The knowledge base: documents and their chunks.
 *
 * Contract: a document is seen whole or not at all: `put` shows it, with all its chunks, at one instant, replacing the
 * one of the same ID; of two concurrent `put`s of one document one stands whole. After `delete` has answered no method
 * returns the document. Every change changes `version`, and the changed document's `revision`. All methods reject with
 * `StoreUnavailable` when the store is out of reach.
 */
export interface KnowledgeChunk {
  /** Headings above the text, outermost first. */
  headings: readonly string[];
  /** A slice of the content; all slices in order are the content. */
  text: string;
}

export interface KnowledgeDocumentHead {
  /** 1–64 characters of `A-Z a-z 0-9 . _ / -`. */
  documentId: string;
  title: string;
  source: string;
  /** SHA-256 of title, source and content, in hex. */
  contentHash: string;
  createdAt: Date;
  updatedAt: Date;
}

export interface KnowledgeDocument extends KnowledgeDocumentHead {
  content: string;
}

export interface StoredDocument {
  documentId: string;
  /** Another one than before whenever anything of the document changed. */
  revision: string;
  title: string;
  source: string;
  updatedAt: Date;
  chunks: readonly KnowledgeChunk[];
}

/** A new or replacing document; `createdAt` of one that exists stays as it was. */
export interface NewDocument extends KnowledgeDocument {
  chunks: readonly KnowledgeChunk[];
}

export interface KnowledgeStore {
  /** Cheap; equal answers mean that nothing changed in between. */
  version(): Promise<string>;
  /** At most `limit`, by ID. */
  revisions(limit: number): Promise<{ documentId: string; revision: string }[]>;
  /** Those that exist, with their chunks, in no order. At most 200 IDs. */
  load(documentIds: readonly string[]): Promise<StoredDocument[]>;
  put(document: NewDocument): Promise<void>;
  /** False when there was none. */
  delete(documentId: string): Promise<boolean>;
  get(documentId: string): Promise<KnowledgeDocument | null>;
  /** By ID, from the one after `after` on. */
  list(page: { limit: number; after?: string }): Promise<KnowledgeDocumentHead[]>;
}
